import type { Server } from 'node:http';
import type { SolanaCluster } from './cluster.mjs';

export declare function createRpcServer(cluster: SolanaCluster): Server;
export declare function createRpcHandler(cluster: SolanaCluster): (body: string) => string;
