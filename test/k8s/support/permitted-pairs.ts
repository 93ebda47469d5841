import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1NetworkPolicyPeer, V1NetworkPolicyPort } from './kubernetes-models.js';
import { parse } from 'yaml';
import { root } from '../../../scripts/build/project.mjs';

export interface OutsidePeer {
  name: string;
  direction: 'ingress' | 'egress';
  apps: string[];
  to: V1NetworkPolicyPeer[];
  ports: V1NetworkPolicyPort[];
  optional?: boolean;
  public?: boolean;
}

interface Table {
  pairs: { from: string; to: string; why: string }[];
  peers: OutsidePeer[];
}

export const permitted = parse(readFileSync(join(root, 'k8s/permitted-pairs.yaml'), 'utf8')) as Table;
