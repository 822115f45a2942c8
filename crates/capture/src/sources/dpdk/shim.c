#include "shim.h"

#include <errno.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <string.h>

/* Most packets of one look at a queue. */
#define BURST 256
/* Places of a queue where none are asked for. */
#define DESCRIPTORS 2048
/* Headers of Ethernet with two tags, and its checksum. */
#define ETHERNET 26
/* Sizes of buffers are multiples of this, which some cards ask for. */
#define BUFFER_STEP 1024
/* Longest key of receive-side scaling. */
#define KEY 64

int weir_dpdk_start(int count, char **arguments)
{
	return rte_eal_init(count, arguments) < 0 ? -(rte_errno ? rte_errno : EINVAL) : 0;
}

int weir_dpdk_find(const char *name, uint16_t *port, uint16_t *queues)
{
	struct rte_eth_dev_info info;
	int failed = rte_eth_dev_get_port_by_name(name, port);
	if (!failed)
		failed = rte_eth_dev_info_get(*port, &info);
	if (!failed)
		*queues = info.max_rx_queues;
	return failed;
}

static struct rte_mempool *pool_of(uint16_t port, const struct weir_port_settings *settings, uint16_t descriptors)
{
	char name[RTE_MEMPOOL_NAMESIZE];
	snprintf(name, sizeof(name), "weir-%u", port);
	/* What fills the queues, as much again on loan, and what threads have at hand. */
	uint32_t size = settings->pool_size ? settings->pool_size
					    : settings->queues * (2u * descriptors + 2u * BURST) - 1;
	uint32_t cache = settings->pool_cache;
	if (cache == UINT32_MAX)
		cache = RTE_MIN((uint32_t)BURST, size / 4);
	cache = RTE_MIN(cache, RTE_MIN((uint32_t)RTE_MEMPOOL_CACHE_MAX_SIZE, size * 2 / 3));
	uint32_t room = RTE_ALIGN_CEIL((uint32_t)settings->mtu + ETHERNET, BUFFER_STEP) + RTE_PKTMBUF_HEADROOM;
	room = RTE_MIN(RTE_MAX(room, (uint32_t)RTE_MBUF_DEFAULT_BUF_SIZE), (uint32_t)UINT16_MAX);
	return rte_pktmbuf_pool_create(name, size, cache, 0, (uint16_t)room, rte_eth_dev_socket_id(port));
}

/* Both directions of a flow are to find the same queue: a key that repeats two bytes hashes them alike.
   It stays, since drivers may look at it as long as the card runs. */
static uint8_t key[KEY];

static void spread(struct rte_eth_conf *conf, const struct rte_eth_dev_info *info, uint64_t functions)
{
	for (unsigned at = 0; at < KEY; at += 2) {
		key[at] = 0x6d;
		key[at + 1] = 0x5a;
	}
	uint64_t addresses = RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_FRAG_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_OTHER | RTE_ETH_RSS_IPV6 |
			     RTE_ETH_RSS_FRAG_IPV6 | RTE_ETH_RSS_NONFRAG_IPV6_OTHER;
	uint64_t with_ports = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP;
	uint64_t known = info->flow_type_rss_offloads;
	if (!functions)
		functions = (addresses & known) ? addresses : with_ports;
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf = functions & known;
	conf->rx_adv_conf.rss_conf.rss_key = key;
	conf->rx_adv_conf.rss_conf.rss_key_len =
		info->hash_key_size && info->hash_key_size <= KEY ? info->hash_key_size : 40;
}

int weir_dpdk_open(uint16_t port, const struct weir_port_settings *settings, void **pool, const char **attempt)
{
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf;
	int failed;

	*pool = NULL;
	*attempt = "ask what the card can do";
	if ((failed = rte_eth_dev_info_get(port, &info)))
		return failed;
	memset(&conf, 0, sizeof(conf));
	uint32_t mtu = RTE_MIN((uint32_t)settings->mtu, (uint32_t)info.max_mtu);
	conf.rxmode.mtu = RTE_MAX(mtu, (uint32_t)info.min_mtu);
	if (settings->strip_vlan)
		conf.rxmode.offloads |= info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	conf.rxmode.offloads |= info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
	if (settings->queues > 1 && info.flow_type_rss_offloads)
		spread(&conf, &info, settings->hash_functions);

	*attempt = "set the card up";
	if ((failed = rte_eth_dev_configure(port, settings->queues, 0, &conf)))
		return failed;
	uint16_t descriptors = settings->descriptors ? settings->descriptors : DESCRIPTORS, sending = 0;
	if ((failed = rte_eth_dev_adjust_nb_rx_tx_desc(port, &descriptors, &sending)))
		return failed;
	*attempt = "get memory for packets";
	struct rte_mempool *made = pool_of(port, settings, descriptors);
	if (!made)
		return -(rte_errno ? rte_errno : ENOMEM);
	*pool = made;
	*attempt = "set up a queue";
	struct rte_eth_rxconf rx = info.default_rxconf;
	rx.offloads = conf.rxmode.offloads;
	for (uint16_t queue = 0; queue < settings->queues; queue++) {
		int socket = rte_eth_dev_socket_id(port);
		if ((failed = rte_eth_rx_queue_setup(port, queue, descriptors, (unsigned)socket, &rx, made)))
			return failed;
	}
	*attempt = "start the card";
	if ((failed = rte_eth_dev_start(port)))
		return failed;
	/* Devices that take in all there is know neither. */
	if (settings->promiscuous)
		rte_eth_promiscuous_enable(port);
	else
		rte_eth_promiscuous_disable(port);
	if (settings->multicast)
		rte_eth_allmulticast_enable(port);
	return 0;
}

void weir_dpdk_close(uint16_t port, void *pool)
{
	rte_eth_dev_stop(port);
	rte_eth_dev_close(port);
	rte_mempool_free(pool);
}

void weir_dpdk_join(void)
{
	/* A thread that could not be registered takes buffers from the pool itself, which is slower, and right. */
	(void)rte_thread_register();
}

void weir_dpdk_leave(void)
{
	rte_thread_unregister();
}

uint16_t weir_dpdk_receive(uint16_t port, uint16_t queue, struct weir_packet *packets, uint16_t most)
{
	struct rte_mbuf *buffers[BURST];
	uint16_t count = rte_eth_rx_burst(port, queue, buffers, RTE_MIN(most, (uint16_t)BURST));
	for (uint16_t at = 0; at < count; at++) {
		struct rte_mbuf *buffer = buffers[at];
		/* A packet in pieces is put together where its first buffer has room for it, or is one that is cut. */
		if (buffer->nb_segs > 1)
			(void)rte_pktmbuf_linearize(buffer);
		packets[at].buffer = buffer;
		packets[at].data = rte_pktmbuf_mtod(buffer, const uint8_t *);
		packets[at].length = rte_pktmbuf_data_len(buffer);
		packets[at].wire_length = rte_pktmbuf_pkt_len(buffer);
	}
	return count;
}

void weir_dpdk_release(const struct weir_packet *packets, uint16_t count)
{
	for (uint16_t at = 0; at < count; at++)
		rte_pktmbuf_free(packets[at].buffer);
}

int weir_dpdk_count(uint16_t port, struct weir_port_counts *counts)
{
	struct rte_eth_stats stats;
	int failed = rte_eth_stats_get(port, &stats);
	if (failed)
		return failed;
	counts->received = stats.ipackets;
	counts->missed = stats.imissed;
	counts->errors = stats.ierrors;
	counts->no_buffers = stats.rx_nombuf;
	return 0;
}

int weir_dpdk_is_up(uint16_t port)
{
	struct rte_eth_link link;
	int failed = rte_eth_link_get_nowait(port, &link);
	return failed ? failed : link.link_status == RTE_ETH_LINK_UP;
}
