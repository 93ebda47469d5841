import { Injectable } from '@nestjs/common';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';
import { EnsNamesService } from '../../users/ens/ens-names.service.js';

/** Names that one form looks up, all at once: a look-up takes 5 s at most, and a form must be answered within 15 s. */
export const MAX_TYPED_NAMES = 8;

const MAX_SHOWN_LENGTH = 60;

/** A name that stands for an address, or a sentence for the person who typed it. */
export type TypedName = { readonly name: string; readonly address: string } | { readonly problem: string };

/**
 * ENS names that people type in place of addresses. What a person looks up counts on the user's own share of the look-ups of an
 * instance (`ENS_LOOKUPS_PER_MINUTE`), as the names of users do for an application, and nothing is kept: an address is read when it is needed.
 */
@Injectable()
export class TypedNamesService {
  constructor(private readonly ens: EnsNamesService) {}

  /** Whether names are looked up at all. */
  get isAvailable(): boolean {
    return this.ens.isAvailable;
  }

  async resolve(text: string, { userId }: Pick<SessionUser, 'userId'>): Promise<TypedName> {
    const shown = text.slice(0, MAX_SHOWN_LENGTH);
    if (!this.isAvailable) return { problem: `Names such as ${shown} are not looked up. Paste the address.` };
    const resolution = await this.ens.resolve(text, userId);
    switch (resolution.kind) {
      case 'found':
        return resolution;
      case 'unknown':
        return { problem: `No address stands behind ${shown}. Check the spelling, or paste the address.` };
      case 'invalid':
        return {
          problem: `${shown} is no valid name: it has characters that names may not have, or mixes those of several scripts. Type it by hand, or paste the address.`,
        };
      case 'unavailable':
        return {
          problem: `${shown} could not be looked up. Try it again in a moment, or paste the address.`,
        };
    }
  }
}

/** Whether a text is written as names of ENS are. Addresses and CAIP-10 ids have no dot. */
export const isTypedName = (text: string): boolean => /^[^\s:/@]+\.[^\s:/@.]+$/u.test(text);
