//! Keywords that read and change state, and what rules ask of the engine.

use weir_applayer::Progress;
use weir_base::Direction;

use super::packets::{facts, tcp_packet, view};
use super::{Exchange, compile_in, compiled, environment};
use crate::compile::Environment;
use crate::model::post::{PostRequest, PostView, StoreScope};
use crate::model::signature::ValueMatch;
use crate::model::view::{PacketFacts, PacketView};
use crate::state::FlowDetect;
use crate::state::names::NameKind;

/// The state after a rule's actions on it.
fn after(environment: &Environment, options: &str, state: &mut FlowDetect) -> Vec<PostRequest> {
    let compiled = compile_in(environment, "ip any any -> any any", options);
    let signature = compiled.unwrap_or_else(|f| panic!("{options}: {}", f.diagnostic)).signature;
    let packet = tcp_packet();
    let mut requests = Vec::new();
    let mut view = PostView {
        facts: &PacketFacts::bare(&packet, Direction::ToClient),
        transaction: None,
        state: Some(state),
        requests: &mut requests,
        no_room: &mut 0,
    };
    for action in &signature.effects.post {
        action.apply(&mut view);
    }
    requests
}

#[test]
fn state_keywords() {
    let environment = environment();
    let packet = tcp_packet();
    // Rules whose actions run one after the other, then a rule and whether its checks hold.
    let cases: &[(&[&str], &str, bool)] = &[
        (&[], "flowbits:isset,a;", false),
        (&[], "flowbits:isnotset,a;", true),
        (&["flowbits:set,a;"], "flowbits:isset,a;", true),
        (&["flowbits:set,a;"], "flowbits:isset,b|a;", true),
        (&["flowbits:set,a;"], "flowbits:isnotset,a|b;", true),
        (&["flowbits:set,a;", "flowbits:unset,a;"], "flowbits:isset,a;", false),
        (&["flowbits:toggle,a;"], "flowbits:isset,a;", true),
        (&["flowbits:toggle,a;", "flowbits:toggle,a;"], "flowbits:isset,a;", false),
        (&[], "flowint:nn,isset;", false),
        (&[], "flowint:nn,notset;", true),
        (&[], "flowint:nn,==,0;", false),
        (&["flowint:nn,+,2;", "flowint:nn,+,2;"], "flowint:nn,==,4;", true),
        (&["flowint:nn,=,5;", "flowint:nn,-,2;"], "flowint:nn,>=,3;", true),
        (&["flowint:nn,=,5;"], "flowint:nn,>,5;", false),
        (&["flowint:nn,=,5;", "flowint:mm,=,nn;"], "flowint:mm,==,nn;", true),
        (&["flowint:nn,=,5;", "flowint:mm,=,absent;"], "flowint:mm,==,0;", true),
        (&["flowint:nn,=,5;"], "flowint:nn,>,absent;", true),
        (&["xbits:set,x,track ip_src;"], "xbits:isset,x,track ip_src;", true),
        (&["xbits:set,x,track ip_src;"], "xbits:isset,x,track ip_dst;", false),
        (&["xbits:set,y,track ip_pair,expire 10;"], "xbits:isset,y,track ip_pair;", true),
        (&["xbits:unset,x,track ip_src;"], "xbits:isnotset,x,track ip_src;", true),
        (&["hostbits:set,z;"], "hostbits:isset,z,src;", true),
        (&["hostbits:set,z;", "hostbits:toggle,z;"], "hostbits:isset,z;", false),
    ];
    for (before, options, expected) in cases {
        let mut state = FlowDetect::default();
        for rule in *before {
            after(&environment, rule, &mut state);
        }
        let signature = compile_in(&environment, "ip any any -> any any", options).unwrap().signature;
        let facts = facts(&packet);
        let view = PacketView { state: Some(&state), ..view(&facts) };
        let found = signature.checks.packet.iter().all(|check| check.matches(&view));
        assert_eq!(found, *expected, "{before:?} {options}");
    }
}

#[test]
fn captured_variables() {
    let environment = environment();
    let packet = tcp_packet();
    let name = |kind| environment.names.id(kind, "v");
    let mut state = FlowDetect::default();
    state.set_variable(name(NameKind::FlowVariable), b"admin".to_vec());
    let captured = [(name(NameKind::PacketVariable), b"root".to_vec())];
    let facts = facts(&packet);
    let view = PacketView { state: Some(&state), packet_variables: &captured, ..view(&facts) };
    for (options, expected) in [
        ("flowvar:v,\"dmi\";", true),
        ("flowvar:v,admin;", true),
        ("flowvar:v,\"|61 64|\";", true),
        ("flowvar:v,\"root\";", false),
        ("flowvar:v,!\"root\";", true),
        ("flowvar:w,!\"root\";", false),
        ("pktvar:v,\"root\";", true),
        ("pktvar:v,\"admin\";", false),
        ("pktvar:v,!\"admin\";", true),
    ] {
        let signature = compile_in(&environment, "ip any any -> any any", options).unwrap().signature;
        let found = signature.checks.packet.iter().all(|check| check.matches(&view));
        assert_eq!(found, expected, "{options}");
    }
}

#[test]
fn states_of_transactions() {
    let environment = environment();
    let mut exchange = Exchange::default();
    exchange.meta.progress.to_server = Progress(1);
    for (state, expected) in
        [("complete", true), ("started", false), (">started", true), ("<complete", false)]
    {
        let options = format!("app-layer-state:{state};");
        let signature = compile_in(&environment, "http any any -> any any", &options).unwrap().signature;
        let [buffer] = signature.checks.buffers.as_slice() else { panic!("{options}") };
        let Some(ValueMatch::Check(check)) = &buffer.value else { panic!("{options}") };
        assert_eq!(check.matches(&exchange, Direction::ToServer), expected, "{options}");
    }
    for (header, options, message) in [
        ("http", "app-layer-state:open;", "its states are started, complete"),
        ("http", "app-layer-state:>complete;", "last"),
        ("http", "app-layer-state:<started;", "first"),
        ("tcp", "app-layer-state:started;", "application protocol"),
    ] {
        let header = format!("{header} any any -> any any");
        let failure = compile_in(&environment, &header, options).map(|_| ()).unwrap_err();
        let shown = failure.diagnostic.to_string();
        let told =
            shown.contains(message) || failure.diagnostic.render(weir_rules::Colour::Off).contains(message);
        assert!(told, "{options}: {shown}");
    }
}

#[test]
fn state_orders_rules() {
    for (options, expected) in [
        ("flowbits:set,a;", [0, 3, 3]),
        ("flowbits:set,a; flowbits:isset,b;", [1, 3, 3]),
        ("flowbits:isset,a;", [2, 3, 3]),
        ("flowint:aa,+,1;", [3, 0, 3]),
        ("flowint:aa,isset;", [3, 2, 3]),
        ("xbits:set,a,track ip_src;", [3, 3, 0]),
    ] {
        assert_eq!(compiled(options).unwrap().signature.effects.state_use.rank(), expected, "{options}");
    }
}

#[test]
fn requests_to_the_engine() {
    let store = |direction, scope| PostRequest::StoreFiles(direction, scope);
    let (to_server, to_client) = (Direction::ToServer, Direction::ToClient);
    let cases: [(&str, &[PostRequest]); 5] = [
        ("bypass;", &[PostRequest::Bypass]),
        ("filestore;", &[store(to_client, StoreScope::File)]),
        ("filestore:request;", &[store(to_server, StoreScope::File)]),
        (
            "filestore:both,tx;",
            &[store(to_server, StoreScope::Transaction), store(to_client, StoreScope::Transaction)],
        ),
        ("filestore:response,flow;", &[store(to_client, StoreScope::Flow)]),
    ];
    for (options, expected) in cases {
        assert_eq!(after(&environment(), options, &mut FlowDetect::default()), expected, "{options}");
    }
}

#[test]
fn bits_of_transactions_need_one() {
    let environment = environment();
    for (header, options, loads) in [
        ("http1:started any any -> any any", "xbits:set,a,track tx;", true),
        ("http1 any any -> any any", "http.uri; content:\"a\"; xbits:set,a,track tx;", true),
        ("tcp any any -> any any", "xbits:set,a,track tx;", false),
        ("http1:started any any -> any any", "xbits:set,a,track tx,expire 3;", false),
    ] {
        assert_eq!(compile_in(&environment, header, options).is_ok(), loads, "{header} {options}");
    }
}
