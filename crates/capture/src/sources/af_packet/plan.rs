//! The interfaces that are listened on, and the pairs between which packets are forwarded.

use std::thread::available_parallelism;

use weir_config::af_packet::{AfPacketSettings, ClusterType, CopyMode};

use super::SECTION;
use super::device::Device;
use crate::SourceError;
use crate::filter::PacketFilter;
use crate::sources::{LiveRequest, card};

/// An interface, and how it is listened on.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its settings.
    pub settings: AfPacketSettings,
    /// Packets to leave out.
    pub filter: Option<PacketFilter>,
    /// Its threads.
    pub threads: u16,
}

impl Plan {
    /// The interface as one thread listens on it.
    pub fn device(&self) -> Device {
        Device::new(&self.settings, self.filter.clone())
    }
}

/// Two interfaces between which packets are forwarded.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Both.
    pub plans: [Plan; 2],
    /// Whether packets may be held back.
    pub mode: CopyMode,
}

/// A place at which traffic is taken in.
#[derive(Clone, Debug)]
pub enum Post {
    /// An interface that is listened on.
    Beside(Plan),
    /// A pair with the program between.
    Between(Pair),
}

impl Post {
    /// Its interfaces.
    pub fn interfaces(&self) -> impl Iterator<Item = &str> {
        let plans = match self {
            Post::Beside(plan) => std::slice::from_ref(plan),
            Post::Between(pair) => &pair.plans,
        };
        plans.iter().map(|plan| plan.settings.interface.as_str())
    }

    /// Whether packets may be held back there.
    pub fn holds_back(&self) -> bool {
        matches!(self, Post::Between(pair) if pair.mode == CopyMode::Ips)
    }
}

/// Reasons that what an interface takes in cannot be forwarded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PairFault {
    /// The other interface is not named.
    #[error(
        "its entry in the section af-packet has no copy-iface: name the interface that is to send the packets."
    )]
    NoPeer,
    /// It is its own peer.
    #[error("its copy-iface is itself: name the interface at the other side.")]
    Itself,
    /// The other one is not listened on.
    #[error("its copy-iface {0} is not listened on: name both with -i, or none with --af-packet.")]
    PeerAbsent(String),
    /// The other one forwards to a third one, or nowhere.
    #[error(
        "its copy-iface {0} does not forward to it: the entry of {0} needs `copy-iface: {1}`, and the same copy-mode."
    )]
    NotBack(String, String),
    /// They have not as many threads.
    #[error(
        "it has {0} threads, its copy-iface {1} has {2}: both need as many, for a flow stays with one thread."
    )]
    Threads(u16, String, u16),
    /// The two directions of a flow would meet different threads.
    #[error(
        "several threads need `cluster-type: cluster_flow`, by which both directions of a flow go to one of them; or set `threads: 1`."
    )]
    Cluster,
    /// They would share packets out among all of their sockets.
    #[error("its copy-iface {0} has the same cluster-id {1}: give it another one, or leave both away.")]
    ClusterId(String, u16),
    /// Headers of the one make no sense to the other.
    #[error(
        "its copy-iface {0} is another kind of link: frames can be forwarded between two of the same kind only."
    )]
    LinkTypes(String),
    /// Another interface cannot hold packets back.
    #[error(
        "{0} has no `copy-mode: ips`, and rules cannot drop packets of some interfaces only: run it by itself."
    )]
    Mixed(String),
}

/// Returns the places at which traffic is to be taken in.
pub fn posts(request: &LiveRequest<'_>) -> Result<Vec<Post>, SourceError> {
    let names = request.interfaces(SECTION, "-i")?;
    let mut plans: Vec<Plan> = Vec::new();
    for name in &names {
        let settings = AfPacketSettings::of(request.settings, name)?;
        let filter = request.filter_of(settings.filter.as_deref());
        let threads = request.threads.or(settings.threads).unwrap_or_else(|| usual_threads(&settings));
        plans.push(Plan { settings, filter, threads });
    }
    paired(&plans)
}

/// Joins the interfaces that forward to each other.
fn paired(plans: &[Plan]) -> Result<Vec<Post>, SourceError> {
    let mut posts = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        let settings = &plan.settings;
        let refused = |fault| SourceError::Pair { name: settings.interface.clone(), fault };
        if settings.copy_mode == CopyMode::None {
            posts.push(Post::Beside(plan.clone()));
            continue;
        }
        let (place, peer) = peer(plan, plans).map_err(refused)?;
        let passive = |other: &&Plan| other.settings.copy_mode != CopyMode::Ips;
        if settings.copy_mode == CopyMode::Ips
            && let Some(other) = plans.iter().find(passive)
        {
            return Err(refused(PairFault::Mixed(other.settings.interface.clone())));
        }
        // The pair stands where the first of both is named.
        if index < place {
            let plans = [plan.clone(), peer.clone()];
            posts.push(Post::Between(Pair { plans, mode: settings.copy_mode }));
        }
    }
    Ok(posts)
}

/// Returns the interface to which one forwards, and its place, if both suit each other.
fn peer<'p>(plan: &Plan, plans: &'p [Plan]) -> Result<(usize, &'p Plan), PairFault> {
    let settings = &plan.settings;
    let name = settings.copy_interface.clone().ok_or(PairFault::NoPeer)?;
    if name == settings.interface {
        return Err(PairFault::Itself);
    }
    let mut all = plans.iter().enumerate();
    let Some((place, peer)) = all.find(|(_, other)| other.settings.interface == name) else {
        return Err(PairFault::PeerAbsent(name));
    };
    let other = &peer.settings;
    if other.copy_mode != settings.copy_mode
        || other.copy_interface.as_deref() != Some(settings.interface.as_str())
    {
        return Err(PairFault::NotBack(name, settings.interface.clone()));
    }
    if plan.threads != peer.threads {
        return Err(PairFault::Threads(plan.threads, name, peer.threads));
    }
    if plan.threads > 1 {
        if settings.cluster != ClusterType::Flow {
            return Err(PairFault::Cluster);
        }
        if let Some(id) = settings.cluster_id.filter(|id| other.cluster_id == Some(*id)) {
            return Err(PairFault::ClusterId(name, id));
        }
    }
    Ok((place, peer))
}

/// Returns the number of threads where none is written: one for each core.
fn usual_threads(settings: &AfPacketSettings) -> u16 {
    let cores = available_parallelism().map_or(1, usize::from);
    let queues = card::queues(&settings.interface).filter(|_| settings.cluster == ClusterType::Queue);
    u16::try_from(queues.unwrap_or(cores)).unwrap_or(u16::MAX).clamp(1, 256)
}
