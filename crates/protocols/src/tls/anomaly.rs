//! Anomalies of a TLS conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong, by its name in records; `app-layer-event` may spell it small.
    pub enum TlsAnomaly {
        /// An SSLv2 header that makes no sense.
        InvalidSslv2Header = "INVALID_SSLV2_HEADER",
        /// A record header that makes no sense.
        InvalidTlsHeader = "INVALID_TLS_HEADER",
        /// A record of a version that does not exist.
        InvalidRecordVersion = "INVALID_RECORD_VERSION",
        /// A record of a type that does not exist.
        InvalidRecordType = "INVALID_RECORD_TYPE",
        /// A record longer than records can be.
        InvalidRecordLength = "INVALID_RECORD_LENGTH",
        /// A handshake message that makes no sense.
        InvalidHandshakeMessage = "INVALID_HANDSHAKE_MESSAGE",
        /// A heartbeat outside encryption.
        HeartbeatMessage = "HEARTBEAT_MESSAGE",
        /// A heartbeat that makes no sense.
        InvalidHeartbeatMessage = "INVALID_HEARTBEAT_MESSAGE",
        /// A heartbeat that asks for more than it brings.
        OverflowHeartbeatMessage = "OVERFLOW_HEARTBEAT_MESSAGE",
        /// A heartbeat answered with more than it brought.
        DataleakHeartbeatMismatch = "DATALEAK_HEARTBEAT_MISMATCH",
        /// A handshake message longer than is looked at.
        HandshakeInvalidLength = "HANDSHAKE_INVALID_LENGTH",
        /// A hello with several server names extensions.
        MultipleSniExtensions = "MULTIPLE_SNI_EXTENSIONS",
        /// A server name of a type that does not exist.
        InvalidSniType = "INVALID_SNI_TYPE",
        /// A server name that does not fit its extension.
        InvalidSniLength = "INVALID_SNI_LENGTH",
        /// Very many records at once.
        TooManyRecordsInPacket = "TOO_MANY_RECORDS_IN_PACKET",
        /// An alert that makes no sense.
        InvalidAlertMessage = "INVALID_ALERT_MESSAGE",
        /// A certificate that could not be read.
        InvalidCertificate = "INVALID_CERTIFICATE",
        /// Certificates that do not fit their message.
        CertificateInvalidLength = "CERTIFICATE_INVALID_LENGTH",
        /// A certificate's version.
        CertificateInvalidVersion = "CERTIFICATE_INVALID_VERSION",
        /// A certificate's serial number.
        CertificateInvalidSerial = "CERTIFICATE_INVALID_SERIAL",
        /// A certificate's algorithm.
        CertificateInvalidAlgorithmIdentifier = "CERTIFICATE_INVALID_ALGORITHMIDENTIFIER",
        /// A name in a certificate.
        CertificateInvalidX509Name = "CERTIFICATE_INVALID_X509NAME",
        /// A date in a certificate.
        CertificateInvalidDate = "CERTIFICATE_INVALID_DATE",
        /// A certificate's extensions.
        CertificateInvalidExtensions = "CERTIFICATE_INVALID_EXTENSIONS",
        /// A certificate's encoding.
        CertificateInvalidDer = "CERTIFICATE_INVALID_DER",
        /// A certificate's subject.
        CertificateInvalidSubject = "CERTIFICATE_INVALID_SUBJECT",
        /// A certificate's issuer.
        CertificateInvalidIssuer = "CERTIFICATE_INVALID_ISSUER",
        /// A certificate's time of validity.
        CertificateInvalidValidity = "CERTIFICATE_INVALID_VALIDITY",
        /// An SSLv2 error message.
        ErrorMessageEncountered = "ERROR_MESSAGE_ENCOUNTERED",
        /// A record that could not be read.
        InvalidSslRecord = "INVALID_SSL_RECORD",
    }
}
