import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { Cidr } from './address-policy.js';

const cidr = z.string().transform((text, context): Cidr => {
  // ipaddr.js also accepts short forms such as `127.1/8`, which are ambiguous.
  if (isIP(text.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  context.addIssue({ code: 'custom', message: 'must be CIDRs such as 10.0.0.0/8, comma separated' });
  return z.NEVER;
});

/** A comma-separated list of CIDRs in an environment variable. */
export const envCidrs = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(cidr))
  .meta({ format: 'CIDRs, comma separated' });
