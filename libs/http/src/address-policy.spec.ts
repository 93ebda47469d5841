import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { AddressPolicy } from './address-policy.js';

const publicOnly = new AddressPolicy();
const allowing = (...cidrs: string[]) => new AddressPolicy(cidrs.map((cidr) => ipaddr.parseCIDR(cidr)));

/** The special-purpose IPv4 blocks of IANA's registry that are not globally reachable, as first and last address. */
const SPECIAL: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
];
const toNumber = (text: string) => text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
const toText = (value: number) =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
const isSpecial = (value: number) =>
  SPECIAL.some(([first, last]) => value >= toNumber(first) && value <= toNumber(last));

const ipv4 = fc.oneof(
  fc.nat(2 ** 32 - 1),
  fc
    .constantFrom(...SPECIAL)
    .chain(([first, last]) =>
      fc.integer({ min: Math.max(0, toNumber(first) - 2), max: Math.min(2 ** 32 - 1, toNumber(last) + 2) }),
    ),
);

describe('AddressPolicy', () => {
  it('AddressPolicy: allows public addresses over https only', () => {
    fc.assert(
      fc.property(ipv4, (value) => {
        const address = toText(value);
        expect(publicOnly.isAllowed(address, 'https:')).toBe(!isSpecial(value));
        expect(publicOnly.isAllowed(`::ffff:${address}`, 'https:')).toBe(!isSpecial(value));
        expect(publicOnly.isAllowed(address, 'http:')).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('AddressPolicy: blocks IPv6 forms of IPv4 addresses', () => {
    const hex = (value: number) => [value >>> 16, value & 0xffff].map((word) => word.toString(16)).join(':');
    fc.assert(
      fc.property(ipv4, (value) => {
        for (const form of ['64:ff9b::V', '2002:V::', '2001:0:V::', '::V', '::ffff:0:V', '64:ff9b:1::V'])
          expect(publicOnly.isAllowed(form.replace('V', hex(value)), 'https:')).toBe(false);
      }),
    );
  });

  it('AddressPolicy: allows NAT64 if it is listed and the embedded address is allowed', () => {
    const nat64 = allowing('64:ff9b::/96');
    expect(nat64.isAllowed('64:ff9b::8.8.8.8', 'https:')).toBe(true);
    expect(nat64.isAllowed('64:ff9b::10.0.0.1', 'https:')).toBe(false);
    expect(nat64.isAllowed('64:ff9b::169.254.169.254', 'https:')).toBe(false);
  });

  it.each(['2606:4700::1', '2a00:1450:4001::200e', '2001:4860:4860::8888'])(
    'AddressPolicy: allows %s',
    (address) => {
      expect(publicOnly.isAllowed(address, 'https:')).toBe(true);
    },
  );

  it.each(['', 'x', '1.2.3', '::1%lo', 'fe80::1%eth0', '4000::1', '1::1', '3fff::', '5f00::1'])(
    'AddressPolicy: blocks %j',
    (address) => {
      expect(publicOnly.isAllowed(address, 'https:')).toBe(false);
    },
  );

  it('AddressPolicy: allows listed CIDRs over http too, and nothing else', () => {
    const rules = allowing('10.1.0.0/16', 'fd12::/16');
    expect(rules.isAllowed('10.1.255.255', 'http:')).toBe(true);
    expect(rules.isAllowed('10.2.0.0', 'https:')).toBe(false);
    expect(rules.isAllowed('fd12::1', 'https:')).toBe(true);
    expect(rules.isAllowed('fd13::1', 'https:')).toBe(false);
    expect(rules.isAllowed('8.8.8.8', 'http:')).toBe(false);
    expect(rules.isAllowed('8.8.8.8', 'https:')).toBe(true);
  });
});
