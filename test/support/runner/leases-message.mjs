/** Tells a worker that its next files use none of the worlds that it has leased. */
export const END_LEASES = 'gatehouse-end-leases';
