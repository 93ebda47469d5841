import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { Cidr } from './address-policy.js';

const cidr = z.string().transform((text, context): Cidr => {
  // ipaddr reads `127.1/8` too; nobody else would read it alike.
  if (isIP(text.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  context.addIssue({ code: 'custom', message: 'must be CIDRs such as 10.0.0.0/8, comma separated' });
  return z.NEVER;
});

/** CIDRs in an environment variable, comma separated. */
export const envCidrs = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(cidr));
