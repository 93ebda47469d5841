import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { invalidField } from '../../common/request.errors.js';
import { type LinkAccount, parseLinkAccount } from './parse-link-account.js';

/** What the owner of a wallet is asked to sign. */
export interface NamedLink {
  readonly account: LinkAccount;
  /** Whether the signature also ends other users' links to the wallet. */
  readonly endsOtherLinks: boolean;
}

export const linkMessageQuery = z.object({
  address: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe(
      'the wallet, plain or CAIP-10: the message is then one that its owner signs in the wallet (EIP-4361)',
    ),
  unlinkOthers: z
    .enum(['true', 'false'])
    .optional()
    .describe("beside `address`, `true` also ends other users' links to the wallet"),
});

/**
 * The wallet that a link message is for, or undefined without `address`. A decorator of its own, because the OpenAPI document
 * does not list these parameters (contract.md section 11). @throws AppError 400
 */
export const NamedLinkQuery = createParamDecorator((_: unknown, context: ExecutionContext) =>
  parseNamedLink(context.switchToHttp().getRequest<Request>().query),
);

function parseNamedLink(input: unknown): NamedLink | undefined {
  const parsed = linkMessageQuery.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidField('input_invalid', issue?.path.join('.') ?? 'address', issue?.message ?? 'is invalid');
  }
  const { address, unlinkOthers } = parsed.data;
  const endsOtherLinks = unlinkOthers === 'true';
  if (address !== undefined) return { account: parseLinkAccount(address, undefined), endsOtherLinks };
  if (endsOtherLinks)
    throw invalidField('input_invalid', 'address', 'is required: it names the wallet of the links');
  return undefined;
}
