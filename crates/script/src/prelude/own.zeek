# Functions of scripts, each behind a line with the script's path.

#@ base/init-bare
@load base/init-frameworks-and-bifs
