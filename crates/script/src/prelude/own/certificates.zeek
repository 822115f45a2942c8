# Whether the certificates of handshakes, answers on them and timestamps of logs are to be trusted.

#@ policy/protocols/ssl/validate-certs
# Where scripts bring no roots, those of the system count.
event zeek_init() &priority=1000
	{
	if ( |SSL::root_certs| == 0 )
		SSL::weir_add_system_roots(SSL::root_certs);
	}

# Certificates between a server's and a root, by the hash of the name of the one that issues servers' certificates.
global SSL::intermediate_cache: table[string] of vector of opaque of x509;

function SSL::weir_remember(issuer: string, between: vector of opaque of x509)
	{
	SSL::intermediate_cache[issuer] = between;
	}

event SSL::intermediate_add(key: string, value: vector of opaque of x509)
	{
	SSL::weir_remember(key, value);
	}

event SSL::new_intermediate(key: string, value: vector of opaque of x509)
	{
	if ( key !in SSL::intermediate_cache )
		SSL::weir_remember(key, value);
	}

# Finds what a chain is called among those that were verified of late.
function SSL::weir_chain_name(chain: vector of opaque of x509): string
	{
	local digests: vector of string = vector();
	for ( i, certificate in chain )
		digests += sha1_hash(x509_get_certificate_string(certificate));
	return join_string_vec(digests, ".");
	}

# Verifies a chain, unless it was verified of late.
function SSL::weir_validate(chain: vector of opaque of x509): X509::Result
	{
	local name = SSL::weir_chain_name(chain);
	if ( name in SSL::recently_validated_certs )
		return SSL::recently_validated_certs[name];
	local verdict = x509_verify(chain, SSL::root_certs, network_time());
	local is_good = verdict$result == 0 && verdict?$chain_certs;
	if ( is_good && SSL::ssl_cache_intermediate_ca && |verdict$chain_certs| > 2 )
		{
		local path = verdict$chain_certs;
		local issuer = x509_subject_name_hash(path[1], 4);
		local between: vector of opaque of x509 = vector();
		for ( i, certificate in path )
			if ( i > 0 && i < |path| - 1 )
				between += certificate;
		if ( issuer !in SSL::intermediate_cache )
			SSL::weir_remember(issuer, between);
		}
	if ( ! SSL::ssl_store_valid_chain && verdict?$chain_certs )
		SSL::recently_validated_certs[name] = X509::Result($result=verdict$result, $result_string=verdict$result_string);
	else
		SSL::recently_validated_certs[name] = verdict;
	return verdict;
	}

function SSL::weir_note(info: SSL::Info, verdict: X509::Result)
	{
	info$validation_status = verdict$result_string;
	info$validation_code = verdict$result;
	if ( verdict?$chain_certs )
		info$valid_chain = verdict$chain_certs;
	}

hook SSL::ssl_finishing(c: connection) &priority=20
	{
	if ( ! c$ssl?$cert_chain || |c$ssl$cert_chain| == 0 || ! c$ssl$cert_chain[0]?$x509 )
		return;
	local own = c$ssl$cert_chain[0];
	local verdict: X509::Result;
	local chain: vector of opaque of x509 = vector();
	# A path that led to a root before may do where the server leaves out a part of it.
	local issuer = x509_issuer_name_hash(own$x509$handle, 4);
	if ( SSL::ssl_cache_intermediate_ca && issuer in SSL::intermediate_cache )
		{
		chain += own$x509$handle;
		for ( i, certificate in SSL::intermediate_cache[issuer] )
			chain += certificate;
		verdict = SSL::weir_validate(chain);
		if ( verdict$result == 0 )
			{
			SSL::weir_note(c$ssl, verdict);
			return;
			}
		}
	chain = vector();
	for ( i, sent in c$ssl$cert_chain )
		if ( sent?$x509 )
			chain += sent$x509$handle;
	verdict = SSL::weir_validate(chain);
	SSL::weir_note(c$ssl, verdict);
	if ( verdict$result == 0 )
		return;
	local told = Notice::Info($note=SSL::Invalid_Server_Cert,
	                          $msg=fmt("SSL certificate validation failed with (%s)", verdict$result_string),
	                          $sub=own$x509$certificate$subject, $conn=c, $fuid=own$fuid,
	                          $identifier=cat(c$id$resp_h, c$id$resp_p, own$x509$fingerprint, verdict$result));
	NOTICE(told);
	}

#@ policy/protocols/ssl/validate-ocsp
# Where scripts bring no roots, those of the system count.
event zeek_init() &priority=1000
	{
	if ( |SSL::root_certs| == 0 )
		SSL::weir_add_system_roots(SSL::root_certs);
	}

# Verdicts on answers, by the digests of the answer and of the certificates that it came with.
global SSL::weir_validated_answers: table[string] of X509::Result &read_expire=5 mins;

event ssl_stapled_ocsp(c: connection, is_orig: bool, response: string) &priority=3
	{
	if ( ! is_orig && c?$ssl )
		c$ssl$ocsp_response = response;
	}

hook SSL::ssl_finishing(c: connection)
	{
	if ( ! c$ssl?$ocsp_response || ! c$ssl?$cert_chain || |c$ssl$cert_chain| == 0 || ! c$ssl$cert_chain[0]?$x509 )
		return;
	local own = c$ssl$cert_chain[0];
	local chain: vector of opaque of x509 = vector();
	local digests: vector of string = vector();
	digests += sha1_hash(c$ssl$ocsp_response);
	for ( i, sent in c$ssl$cert_chain )
		if ( sent?$x509 )
			{
			chain += sent$x509$handle;
			digests += sent$x509$fingerprint;
			}
	local name = join_string_vec(digests, ".");
	if ( name !in SSL::weir_validated_answers )
		SSL::weir_validated_answers[name] = x509_ocsp_verify(chain, c$ssl$ocsp_response, SSL::root_certs, network_time());
	local verdict = SSL::weir_validated_answers[name];
	c$ssl$ocsp_status = verdict$result_string;
	if ( verdict$result_string == "good" )
		return;
	local told = Notice::Info($note=SSL::Invalid_Ocsp_Response,
	                          $msg=fmt("OCSP response validation failed with (%s)", verdict$result_string),
	                          $sub=own$x509$certificate$subject, $conn=c,
	                          $identifier=cat(c$id$resp_h, c$id$resp_p, own$x509$fingerprint, verdict$result_string));
	NOTICE(told);
	}

#@ policy/protocols/ssl/validate-sct
# Whether timestamps are valid, by the digest of all that this depends on.
global SSL::weir_validated_timestamps: table[string] of bool &read_expire=5 mins;

event ssl_extension_signed_certificate_timestamp(c: connection, is_client: bool, version: count, logid: string, timestamp: count, signature_and_hashalgorithm: SSL::SignatureAndHashAlgorithm, signature: string)
	{
	if ( c?$ssl )
		c$ssl$ct_proofs += SSL::SctInfo($version=version, $logid=logid, $timestamp=timestamp,
		                                $sig_alg=signature_and_hashalgorithm$SignatureAlgorithm,
		                                $hash_alg=signature_and_hashalgorithm$HashAlgorithm,
		                                $signature=signature, $source=SSL::SCT_TLS_EXT);
	}

event x509_ocsp_ext_signed_certificate_timestamp(f: fa_file, version: count, logid: string, timestamp: count, hash_algorithm: count, signature_algorithm: count, signature: string)
	{
	local origin: SSL::SctSource;
	if ( f?$info && f$info?$x509 )
		origin = SSL::SCT_X509_EXT;
	else if ( f$source == "SSL" )
		origin = SSL::SCT_OCSP_EXT;
	else
		return;
	if ( ! f?$conns )
		return;
	for ( id, c in f$conns )
		if ( c?$ssl )
			c$ssl$ct_proofs += SSL::SctInfo($version=version, $logid=logid, $timestamp=timestamp,
			                                $sig_alg=signature_algorithm, $hash_alg=hash_algorithm,
			                                $signature=signature, $source=origin);
	}

# Verifies a timestamp within a certificate: it depends on the key of who issued that.
function SSL::weir_is_timestamp_within(info: SSL::Info, certificate: opaque of x509, proof: SSL::SctInfo, key: string): bool
	{
	local issuers: vector of opaque of x509 = vector();
	if ( info?$valid_chain && |info$valid_chain| > 1 )
		issuers += info$valid_chain[1];
	else
		{
		local issuer = x509_issuer_name_hash(certificate, 4);
		for ( i, sent in info$cert_chain )
			if ( i > 0 && sent?$x509 && x509_subject_name_hash(sent$x509$handle, 4) == issuer )
				issuers += sent$x509$handle;
		if ( issuer in SSL::intermediate_cache )
			issuers += SSL::intermediate_cache[issuer][0];
		for ( name, der in SSL::root_certs )
			{
			local root = x509_from_der(der);
			if ( x509_subject_name_hash(root, 4) == issuer )
				issuers += root;
			}
		}
	for ( i, candidate in issuers )
		if ( sct_verify(certificate, proof$logid, key, proof$signature, proof$timestamp, proof$hash_alg, x509_spki_hash(candidate, 4)) )
			return T;
	return F;
	}

# Runs when the chain was verified.
hook SSL::ssl_finishing(c: connection) &priority=19
	{
	local info = c$ssl;
	if ( ! info?$cert_chain || |info$cert_chain| == 0 || ! info$cert_chain[0]?$x509 )
		return;
	local own = info$cert_chain[0]$x509;
	local issuer = x509_issuer_name_hash(own$handle, 4);
	local logs: set[string] = set();
	info$valid_scts = 0;
	info$invalid_scts = 0;
	info$valid_ct_operators_list = set();
	for ( i, proof in info$ct_proofs )
		{
		if ( proof$logid !in SSL::ct_logs )
			{
			proof$valid = F;
			++info$invalid_scts;
			next;
			}
		local log = SSL::ct_logs[proof$logid];
		local name = sha1_hash(cat(own$fingerprint, proof$logid, proof$timestamp, proof$hash_alg, proof$signature, proof$source, issuer));
		if ( name !in SSL::weir_validated_timestamps )
			{
			local is_valid: bool;
			if ( proof$source == SSL::SCT_X509_EXT )
				is_valid = SSL::weir_is_timestamp_within(info, own$handle, proof, log$key);
			else
				is_valid = sct_verify(own$handle, proof$logid, log$key, proof$signature, proof$timestamp, proof$hash_alg);
			SSL::weir_validated_timestamps[name] = is_valid;
			}
		proof$valid = SSL::weir_validated_timestamps[name];
		if ( ! proof$valid )
			{
			++info$invalid_scts;
			next;
			}
		++info$valid_scts;
		add logs[proof$logid];
		add info$valid_ct_operators_list[log$operator];
		}
	info$valid_ct_logs = |logs|;
	info$valid_ct_operators = |info$valid_ct_operators_list|;
	}
