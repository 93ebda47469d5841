import type { V1NetworkPolicy, V1NetworkPolicyPeer, V1NetworkPolicyPort } from './kubernetes-models.js';
import { listKind, listWorkloads, type Manifest, nameOf, type Workload } from './manifest.js';
import { selects } from './selects.js';

type Direction = 'ingress' | 'egress';

/** The connections of an app that one rule of a policy allows, in one direction. */
export interface Access {
  policy: string;
  app: string;
  direction: Direction;
  peers: V1NetworkPolicyPeer[];
  ports: V1NetworkPolicyPort[];
}

/** An app at one end allows another app at the other end. */
export interface AllowedPair {
  policy: string;
  from: string;
  to: string;
  port: string;
}

export function listAccess(manifests: Manifest[]): Access[] {
  const workloads = listWorkloads(manifests);
  return listKind(manifests, 'NetworkPolicy').flatMap((policy) =>
    workloads
      .filter(({ labels }) => selects(policy.spec?.podSelector, labels))
      .flatMap(({ app }) => [...listRules(policy, app)]),
  );
}

function* listRules(policy: V1NetworkPolicy, app: string): Generator<Access> {
  const common = { policy: nameOf(policy), app };
  for (const { from = [], ports = [] } of policy.spec?.ingress ?? [])
    yield { ...common, direction: 'ingress', peers: from, ports };
  for (const { to = [], ports = [] } of policy.spec?.egress ?? [])
    yield { ...common, direction: 'egress', peers: to, ports };
}

/** Peers that are named by labels of pods in the same namespace are apps; the others are outside. */
export const isInside = ({ podSelector, namespaceSelector, ipBlock }: V1NetworkPolicyPeer): boolean =>
  podSelector !== undefined && namespaceSelector === undefined && ipBlock === undefined;

/** The pairs of apps that one end allows. */
export function listPairs(access: Access[], workloads: Workload[], direction: Direction): AllowedPair[] {
  return access
    .filter((one) => one.direction === direction)
    .flatMap(({ policy, app, peers, ports }) =>
      peers
        .filter(isInside)
        .flatMap(({ podSelector }) => workloads.filter(({ labels }) => selects(podSelector, labels)))
        .flatMap((peer) =>
          ports.map(({ port }) => ({
            policy,
            from: direction === 'egress' ? app : peer.app,
            to: direction === 'egress' ? peer.app : app,
            port: String(port),
          })),
        ),
    );
}
