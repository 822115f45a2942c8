//! A unix socket with a name in the file system, which goes with it.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Who may connect: the user and the group.
const MODE: u32 = 0o660;

/// The socket.
pub(crate) struct SocketFile {
    pub(crate) listener: UnixListener,
    pub(crate) path: PathBuf,
}

impl SocketFile {
    /// Listens, where no other program does; calls do not block.
    pub(crate) fn listen(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // A file that nobody listens at is left over.
        if UnixStream::connect(path).is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another program listens there"));
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(MODE))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path: path.to_owned() })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
