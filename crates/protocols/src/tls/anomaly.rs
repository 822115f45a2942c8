//! What can be wrong with a TLS conversation.

use weir_applayer::Anomaly;

macro_rules! anomalies {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)*) => {
        /// One thing that is wrong. The discriminants index [`ANOMALIES`].
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum TlsAnomaly { $($(#[$doc])* $variant,)* }

        /// Names of [`TlsAnomaly`] for `app-layer-event`.
        pub const ANOMALIES: &[&str] = &[$($name,)*];
    };
}

anomalies! {
    /// An SSLv2 header that makes no sense.
    InvalidSslv2Header => "invalid_sslv2_header",
    /// A record header that makes no sense.
    InvalidTlsHeader => "invalid_tls_header",
    /// A record of a version that does not exist.
    InvalidRecordVersion => "invalid_record_version",
    /// A record of a type that does not exist.
    InvalidRecordType => "invalid_record_type",
    /// A record longer than records can be.
    InvalidRecordLength => "invalid_record_length",
    /// A handshake message that makes no sense.
    InvalidHandshakeMessage => "invalid_handshake_message",
    /// A heartbeat outside encryption.
    HeartbeatMessage => "heartbeat_message",
    /// A heartbeat that makes no sense.
    InvalidHeartbeatMessage => "invalid_heartbeat_message",
    /// A heartbeat that asks for more than it brings.
    OverflowHeartbeatMessage => "overflow_heartbeat_message",
    /// A heartbeat answered with more than it brought.
    DataleakHeartbeatMismatch => "dataleak_heartbeat_mismatch",
    /// A handshake message longer than is looked at.
    HandshakeInvalidLength => "handshake_invalid_length",
    /// A hello with several server names extensions.
    MultipleSniExtensions => "multiple_sni_extensions",
    /// A server name of a type that does not exist.
    InvalidSniType => "invalid_sni_type",
    /// A server name that does not fit its extension.
    InvalidSniLength => "invalid_sni_length",
    /// Very many records at once.
    TooManyRecordsInPacket => "too_many_records_in_packet",
    /// An alert that makes no sense.
    InvalidAlertMessage => "invalid_alert_message",
    /// A certificate that could not be read.
    InvalidCertificate => "invalid_certificate",
    /// Certificates that do not fit their message.
    CertificateInvalidLength => "certificate_invalid_length",
    /// A certificate's version.
    CertificateInvalidVersion => "certificate_invalid_version",
    /// A certificate's serial number.
    CertificateInvalidSerial => "certificate_invalid_serial",
    /// A certificate's algorithm.
    CertificateInvalidAlgorithmIdentifier => "certificate_invalid_algorithmidentifier",
    /// A name in a certificate.
    CertificateInvalidX509Name => "certificate_invalid_x509name",
    /// A date in a certificate.
    CertificateInvalidDate => "certificate_invalid_date",
    /// A certificate's extensions.
    CertificateInvalidExtensions => "certificate_invalid_extensions",
    /// A certificate's encoding.
    CertificateInvalidDer => "certificate_invalid_der",
    /// A certificate's subject.
    CertificateInvalidSubject => "certificate_invalid_subject",
    /// A certificate's issuer.
    CertificateInvalidIssuer => "certificate_invalid_issuer",
    /// A certificate's time of validity.
    CertificateInvalidValidity => "certificate_invalid_validity",
    /// An SSLv2 error message.
    ErrorMessageEncountered => "error_message_encountered",
    /// A record that could not be read.
    InvalidSslRecord => "invalid_ssl_record",
}

impl From<TlsAnomaly> for Anomaly {
    fn from(anomaly: TlsAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
