//! Mail.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "smtp.helo",
        "smtp",
        "smtp.helo; content:\"client.example\";",
        "smtp.helo; content:\"clients.example\";",
        "smtp.helo:x;",
    ),
    row(
        "smtp.mail_from",
        "smtp",
        "smtp.mail_from; content:\"<from@a.example>\";",
        "smtp.mail_from; content:\"<form@a.example>\";",
        "smtp.mail_from:x;",
    ),
    row(
        "smtp.rcpt_to",
        "smtp",
        "smtp.rcpt_to; content:\"<second@b.example>\";",
        "smtp.rcpt_to; content:\"<third@b.example>\";",
        "smtp.rcpt_to:x;",
    ),
    row(
        "email.from",
        "smtp",
        "email.from; content:\"From <f@a>\";",
        "email.from; content:\"From <g@a>\";",
        "email.from:x;",
    ),
    row("email.to", "smtp", "email.to; content:\"to@b\";", "email.to; content:\"two@b\";", "email.to:x;"),
    row("email.cc", "smtp", "email.cc; content:\"cc@b\";", "email.cc; content:\"bcc@b\";", "email.cc:x;"),
    row(
        "email.subject",
        "smtp",
        "email.subject; content:\"Offer\";",
        "email.subject; content:\"Offers\";",
        "email.subject:x;",
    ),
    row(
        "email.date",
        "smtp",
        "email.date; content:\"Sat, 1 Jan\";",
        "email.date; content:\"Sun, 1 Jan\";",
        "email.date:x;",
    ),
    row(
        "email.message_id",
        "smtp",
        "email.message_id; content:\"<id@a>\";",
        "email.message_id; content:\"<ids@a>\";",
        "email.message_id:x;",
    ),
    row(
        "email.x_mailer",
        "smtp",
        "email.x_mailer; content:\"mailer/1\";",
        "email.x_mailer; content:\"mailer/2\";",
        "email.x_mailer:x;",
    ),
    row(
        "email.received",
        "smtp",
        "email.received; content:\"from two\";",
        "email.received; content:\"from three\";",
        "email.received:x;",
    ),
    row(
        "email.url",
        "smtp",
        "email.url; content:\"shop.example/x\";",
        "email.url; content:\"shop.example/y\";",
        "email.url:x;",
    ),
    row(
        "email.body_md5",
        "smtp",
        "email.body_md5; content:\"918e6bfc09c7923bab150661a88daaaf\"; bsize:32;",
        "email.body_md5; content:\"faaad88a166051bab3297c90cfb6e819\";",
        "email.body_md5:x;",
    ),
];
