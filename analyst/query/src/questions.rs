//! Questions that analysts ask, as examples and as a check that they can be asked.

/// A question and how it is asked.
pub struct Question {
    /// In words.
    pub words: &'static str,
    /// In SQL.
    pub sql: &'static str,
}

/// Ten of them.
pub const QUESTIONS: [Question; 10] = [
    Question {
        words: "Which rules fired most, and for how many hosts?",
        sql: "select alert.severity, alert.signature, count(*) as alerts, count(distinct src_ip) as hosts from alert \
              group by 1, 2 order by 1, 3 desc",
    },
    Question {
        words: "Who talked to whom most, in bytes?",
        sql: "select src_ip, dest_ip, sum(flow.bytes_toserver + flow.bytes_toclient) as bytes from flow \
              group by 1, 2 order by 3 desc limit 20",
    },
    Question {
        words: "Which names were asked for by one host alone?",
        sql: "select dns.queries[1]['rrname'] as name, min(src_ip) as host, count(*) as times from dns group by 1 \
              having count(distinct src_ip) = 1 order by 3 desc limit 20",
    },
    Question {
        words: "Which domains have names that look made by a program?",
        sql: "select parent_domain(query, 2) as domain, count(distinct query) as names, avg(entropy(query)) as entropy \
              from zeek.dns where query is not null group by 1 having count(distinct query) > 10 order by 3 desc limit 20",
    },
    Question {
        words: "Which connections went to the Internet on ports that are seldom used?",
        sql: "select id.resp_p, count(*) as connections, min(id.orig_h) as first_host from conn \
              where not is_private(id.resp_h) group by 1 order by 2 limit 20",
    },
    Question {
        words: "Which connections lasted for more than an hour?",
        sql: "select ts, uid, id.orig_h, id.resp_h, id.resp_p, service, duration from conn where duration > 3600 \
              order by duration desc",
    },
    Question {
        words: "Which programs loaded files over HTTP?",
        sql: "select http.http_user_agent, count(*) as requests, count(distinct http.hostname) as hosts from http \
              group by 1 order by 2 desc limit 20",
    },
    Question {
        words: "Which TLS servers showed a certificate that has expired?",
        sql: "select distinct tls.sni, tls.subject, tls.notafter, dest_ip from tls where tls.notafter < timestamp \
              order by tls.notafter",
    },
    Question {
        words: "Which alerts belong to connections with more than a megabyte?",
        sql: "select a.timestamp, a.alert.signature, f.flow.bytes_toclient from alert a join flow f \
              on a.flow_id = f.flow_id where f.flow.bytes_toclient > 1000000 order by 3 desc",
    },
    Question {
        words: "How much of which protocol was there in each minute?",
        sql: "select date_trunc('minute', timestamp) as minute, coalesce(app_proto, 'unknown') as protocol, \
              count(*) as flows from flow group by 1, 2 order by 1, 3 desc",
    },
];
