//! The names that reports have for protocols and buffers, where they differ from what rules write.

use weir_applayer::Protocol;

use super::subject::Subject;

/// Sticky buffers whose name in reports is not the keyword's own.
const BUFFERS: &[(&str, &str)] = &[
    ("ftpbounce", "ftp:request_complete:generic"),
    ("http.uri", "http_uri"),
    ("http.uri.raw", "http_raw_uri"),
    ("http.method", "http_method"),
    ("http.protocol", "http_protocol"),
    ("http.request_line", "http_request_line"),
    ("http.response_line", "http_response_line"),
    ("http.header", "http_header"),
    ("http.header.raw", "http_raw_header"),
    ("http.header_names", "http_header_names"),
    ("http.request_header", "http_request_header"),
    ("http.response_header", "http_response_header"),
    ("http.start", "http_start"),
    ("http.cookie", "http_cookie"),
    ("http.user_agent", "http_user_agent"),
    ("http.host", "http_host"),
    ("http.host.raw", "http_raw_host"),
    ("http.accept", "http_accept"),
    ("http.accept_enc", "http_accept_enc"),
    ("http.accept_lang", "http_accept_lang"),
    ("http.connection", "http_connection"),
    ("http.content_len", "http_content_len"),
    ("http.content_type", "http_content_type"),
    ("http.referer", "http_referer"),
    ("http.request_body", "http_client_body"),
    ("http.response_body", "file_data"),
    ("http.stat_code", "http_stat_code"),
    ("http.stat_msg", "http_stat_msg"),
    ("file.data", "file_data"),
    ("dns.query", "dns_query"),
    ("dcerpc.stub_data", "dce_stub_data"),
    ("dcerpc.iface", "dce_generic"),
    ("dcerpc.opnum", "dce_generic"),
    ("smb.named_pipe", "smb_named_pipe"),
    ("smb.share", "smb_share"),
    ("smb.ntlmssp_user", "smb_ntlmssp_user"),
    ("smb.ntlmssp_domain", "smb_ntlmssp_domain"),
    ("krb5.cname", "krb5_cname"),
    ("krb5.sname", "krb5_sname"),
    ("quic.sni", "quic_sni"),
    ("quic.ua", "quic_ua"),
    ("quic.version", "quic_version"),
    ("tls.version", "tls_generic"),
    ("ssl_version", "tls_generic"),
    ("ssl_state", "tls_generic"),
    ("tls.subject", "tls_cert"),
    ("tls.issuerdn", "tls_cert"),
    ("tls.fingerprint", "tls_cert"),
    ("tls.store", "tls_cert"),
    ("tls_cert_expired", "tls_validity"),
    ("tls_cert_valid", "tls_validity"),
    ("tls_cert_notbefore", "tls_validity"),
    ("tls_cert_notafter", "tls_validity"),
    ("krb5.ticket_encryption", "krb5_ticket_encryption"),
    ("dnp3_func", "dnp3"),
    ("dnp3_ind", "dnp3"),
    ("dnp3_obj", "dnp3"),
    ("filestore", "files"),
    ("filesize", "files"),
    ("filemd5", "files"),
    ("filesha1", "files"),
    ("filesha256", "files"),
    ("http2.frametype", "http2"),
    ("http2.errorcode", "http2"),
    ("http2.priority", "http2"),
    ("http2.window", "http2"),
    ("http2.size_update", "http2"),
    ("http2.settings", "http2"),
    ("app-layer-event", "app-layer-events"),
    ("ssh.proto", "ssh_protocol"),
    ("ssh.software", "ssh_software"),
    ("http2.header_name", "http2_header_name"),
    ("nfs_version", "nfs_request"),
    ("nfs_procedure", "nfs_request"),
    ("dnp3.data", "dnp3_data"),
];

/// The report's name of the sticky buffer `name`.
pub(super) fn buffer(name: &'static str) -> &'static str {
    BUFFERS.iter().find(|(keyword, _)| *keyword == name).map_or(name, |(_, internal)| internal)
}

/// The report's name of a protocol.
pub(super) fn protocol(protocol: &Protocol) -> &'static str {
    protocol.eve_name
}

/// Whether both versions of HTTP are admitted.
pub(super) fn is_any_http(admitted: &[&Protocol]) -> bool {
    ["http1", "http2"].iter().all(|version| admitted.iter().any(|protocol| protocol.name == *version))
}

/// The protocol of a whole rule: `http_any` where any version of HTTP is meant, `unknown` where the
/// rule names none or its buffers belong to several.
pub(super) fn rule_protocol(subject: &Subject<'_>) -> String {
    let header = subject.header();
    let admitted = &subject.signature.head.app_protocols;
    let http = |p: &&Protocol| p.is_named("http") || p.name.starts_with("http");
    let any_http =
        header == "http" || subject.options().iter().any(|option| option.name.starts_with("http."));
    match admitted.as_slice() {
        [] => "unknown".to_owned(),
        [only] => protocol(only).to_owned(),
        all if all.iter().all(http) && any_http && header != "http1" && header != "http2" => {
            "http_any".to_owned()
        }
        all if header != "smb" && all.iter().all(|p| p.is_named("dcerpc")) => "dcerpc".to_owned(),
        [first, ..] if admitted.iter().any(|p| p.is_named(&header)) => {
            let named = admitted.iter().find(|p| p.name == header).unwrap_or(first);
            protocol(named).to_owned()
        }
        _ => "unknown".to_owned(),
    }
}
