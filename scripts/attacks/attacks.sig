# Signatures whose patterns have very many states, over the whole of streams.
signature far {
	payload /.*k.{30}z/
	event "far"
}
signature either {
	payload /.*(ab|ba|aab|bba)+c.{12}[xyz]/
	event "either"
}
signature of_http {
	http-request /.*(a|aa)+b.*found/
	http-request-header /.*(k+y)+z/
	event "of http"
}
