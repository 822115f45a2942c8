//! EVE records of type `ldap`: a request and the messages that answer it.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::content::{Attribute, Authentication, Content, Search};
use super::filter;
use super::message::Message;
use super::names::{self, operation};
use super::transaction::LdapTransaction;
use crate::span::Span;

/// The record type.
pub static EVE: EveLog = EveLog::new("ldap", LogDirection::Transaction, |_| eve::writer(write));

fn write(tx: &LdapTransaction, json: &mut JsonWriter<'_>) -> bool {
    if let Some((message, _)) = &tx.request {
        json.object("request");
        json.unsigned("message_id", message.id);
        write_message(message, json);
        json.close_object();
    }
    if !tx.responses.is_empty() {
        json.objects("responses", &tx.responses, |json, response| {
            if tx.request.is_none() {
                json.unsigned("message_id", response.message.id);
            }
            write_message(&response.message, json);
        });
    }
    true
}

fn write_message(message: &Message, json: &mut JsonWriter<'_>) {
    let name = operation::name(message.operation);
    json.string("operation", name);
    if !matches!(message.content, Content::Nothing | Content::Reference(_)) {
        json.nested(name, |json| write_content(message, json));
    }
    let Some(controls) = &message.controls else { return };
    json.objects("controls", controls, |json, control| {
        json.string("control_type", message.at(control.kind));
        json.boolean("criticality", control.is_critical);
        if let Some(value) = control.value {
            json.hex("control_value", message.at(value));
        }
    });
}

fn write_content(message: &Message, json: &mut JsonWriter<'_>) {
    match &message.content {
        Content::Bind { version, name, authentication } => {
            json.unsigned("version", *version);
            json.string("name", message.at(*name));
            if let Authentication::Sasl(mechanism, credentials) = authentication {
                json.object("sasl");
                json.string("mechanism", message.at(*mechanism));
                if let Some(credentials) = credentials {
                    json.hex("credentials", message.at(*credentials));
                }
                json.close_object();
            }
        }
        Content::Result { outcome, credentials, name, value } => {
            json.string("result_code", names::result_code(outcome.code));
            json.string("matched_dn", message.at(outcome.matched));
            json.string("message", message.at(outcome.message));
            if let Some(credentials) = credentials {
                json.hex("server_sasl_creds", message.at(*credentials));
            }
            write_extended(message, *name, *value, json);
        }
        Content::Search(search) => write_search(message, search, json),
        Content::Entry { name, attributes } => {
            let is_new = message.operation == operation::ADD_REQUEST;
            let (entry, kind) = if is_new { ("entry", "name") } else { ("base_object", "type") };
            json.string(entry, message.at(*name));
            write_attributes(message, attributes, kind, json);
        }
        Content::Modify { object, changes } => {
            json.string("object", message.at(*object));
            json.objects("changes", changes, |json, (kind, attribute)| {
                json.string("operation", names::change(*kind));
                json.object("modification");
                json.string("attribute_type", message.at(attribute.name));
                write_values(message, attribute, "attribute_values", json);
                json.close_object();
            });
        }
        Content::Delete(name) => json.string("dn", message.at(*name)),
        Content::ModifyDn { entry, new_rdn, delete_old, new_superior } => {
            json.string("entry", message.at(*entry));
            json.string("new_rdn", message.at(*new_rdn));
            json.boolean("delete_old_rdn", *delete_old);
            if let Some(superior) = new_superior {
                json.string("new_superior", message.at(*superior));
            }
        }
        Content::Compare { entry, attribute, value } => {
            json.string("entry", message.at(*entry));
            json.object("attribute_value_assertion");
            json.string("description", message.at(*attribute));
            json.string("value", message.at(*value));
            json.close_object();
        }
        Content::Abandon(id) => json.unsigned("message_id", *id),
        Content::Extended { name, value } => write_extended(message, *name, *value, json),
        Content::Nothing | Content::Reference(_) => {}
    }
}

fn write_search(message: &Message, search: &Search, json: &mut JsonWriter<'_>) {
    json.string("base_object", message.at(search.base));
    json.unsigned("scope", search.scope);
    json.unsigned("deref_alias", search.aliases);
    json.unsigned("size_limit", search.size_limit);
    json.unsigned("time_limit", search.time_limit);
    json.boolean("types_only", search.types_only);
    if let Some(attribute) = filter::present(message.at(search.filter)) {
        json.object("filter");
        json.string("type", "present");
        json.string("value", attribute);
        json.close_object();
    }
    json.some_strings("attributes", search.attributes.iter().map(|attribute| message.at(*attribute)));
}

fn write_attributes(message: &Message, attributes: &[Attribute], kind: &str, json: &mut JsonWriter<'_>) {
    if attributes.is_empty() {
        return;
    }
    json.objects("attributes", attributes, |json, attribute| {
        json.string(kind, message.at(attribute.name));
        write_values(message, attribute, "values", json);
    });
}

fn write_values(message: &Message, attribute: &Attribute, key: &str, json: &mut JsonWriter<'_>) {
    json.some_strings(key, attribute.values.iter().map(|value| message.at(*value)));
}

fn write_extended(message: &Message, name: Option<Span>, value: Option<Span>, json: &mut JsonWriter<'_>) {
    if let Some(name) = name {
        json.string("name", message.at(name));
    }
    if let Some(value) = value {
        json.string("value", message.at(value));
    }
}
