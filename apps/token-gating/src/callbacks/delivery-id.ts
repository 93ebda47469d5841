import { ulid } from 'ulid';

/** A new `msg_<ULID>`: the same over all attempts of one delivery, so that a receiver can tell a repetition. */
export const newDeliveryId = (): string => `msg_${ulid()}`;
