/* Functions of DPDK that its headers define in place, and so no library has, behind plain ones. */
#ifndef WEIR_DPDK_SHIM_H
#define WEIR_DPDK_SHIM_H

#include <stdint.h>

/* A packet on loan, and the buffer to give back. */
struct weir_packet {
	void *buffer;
	const uint8_t *data;
	uint32_t length;
	uint32_t wire_length;
};

struct weir_port_settings {
	uint64_t hash_functions; /* 0: addresses */
	uint32_t pool_size;      /* 0: what the queues need */
	uint32_t pool_cache;     /* UINT32_MAX: what suits the size */
	uint16_t queues;
	uint16_t descriptors; /* 0: what suits the card */
	uint16_t mtu;
	uint8_t promiscuous;
	uint8_t multicast;
	uint8_t strip_vlan;
};

struct weir_port_counts {
	uint64_t received;
	uint64_t missed;
	uint64_t errors;
	uint64_t no_buffers;
};

/* Each returns 0 or a negated errno. */
int weir_dpdk_start(int count, char **arguments);
int weir_dpdk_find(const char *name, uint16_t *port, uint16_t *queues);
/* Where it fails, `attempt` says at what. `pool` is to be handed to weir_dpdk_close. */
int weir_dpdk_open(uint16_t port, const struct weir_port_settings *settings, void **pool, const char **attempt);
void weir_dpdk_close(uint16_t port, void *pool);
/* Has the calling thread known to DPDK, which then keeps buffers at hand for it. */
void weir_dpdk_join(void);
void weir_dpdk_leave(void);
uint16_t weir_dpdk_receive(uint16_t port, uint16_t queue, struct weir_packet *packets, uint16_t most);
void weir_dpdk_release(const struct weir_packet *packets, uint16_t count);
int weir_dpdk_count(uint16_t port, struct weir_port_counts *counts);
int weir_dpdk_is_up(uint16_t port);

#endif
