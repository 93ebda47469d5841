import { listWorkloads } from '../support/manifest.js';
import { parseQuantity } from '../support/quantity.js';
import type { Rule } from '../support/rule.js';

const RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];
const MIB = 1_048_576;

/** Every container says what it needs and what it may take. */
const presenceRule: Rule = {
  name: 'resources',
  *check(manifests) {
    for (const { kind, name, containers } of listWorkloads(manifests))
      for (const { resources = {} } of containers)
        for (const part of ['requests', 'limits'] as const)
          for (const resource of RESOURCES)
            if (resources[part]?.[resource] === undefined)
              yield `${kind} ${name}: ${part} do not name ${resource}`;
  },
};

const quantityRule: Rule = {
  name: 'quantity',
  *check(manifests) {
    for (const { kind, name, containers } of listWorkloads(manifests))
      for (const { resources = {} } of containers)
        for (const [resource, text] of [resources.requests, resources.limits].flatMap((part = {}) =>
          Object.entries(part),
        )) {
          const value = parseQuantity(text);
          if (value === undefined) yield `${kind} ${name}: ${text} is not a quantity`;
          else if (resource !== 'cpu' && value < MIB)
            yield `${kind} ${name}: ${text} of ${resource} is too little`;
        }
  },
};

const limitRule: Rule = {
  name: 'request-within-limit',
  *check(manifests) {
    for (const { kind, name, containers } of listWorkloads(manifests))
      for (const { resources: { requests = {}, limits = {} } = {} } of containers)
        for (const [resource, request] of Object.entries(requests)) {
          const [wanted, limit] = [request, limits[resource] ?? ''].map(parseQuantity);
          if (wanted !== undefined && limit !== undefined && wanted > limit)
            yield `${kind} ${name}: requests ${request} of ${resource}, more than its limit`;
        }
  },
};

export const resourceRules = [presenceRule, quantityRule, limitRule];
