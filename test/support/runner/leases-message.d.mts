export const END_LEASES: string;
