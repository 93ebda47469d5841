import type {
  V1ConfigMap,
  V1Container,
  V1Deployment,
  V1Ingress,
  V1Job,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1PodDisruptionBudget,
  V1PodTemplateSpec,
  V1Service,
  V2HorizontalPodAutoscaler,
} from './kubernetes-models.js';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: V1ObjectMeta;
}

/** Kinds that rules look into. */
interface Kinds {
  ConfigMap: V1ConfigMap;
  Deployment: V1Deployment;
  HorizontalPodAutoscaler: V2HorizontalPodAutoscaler;
  Ingress: V1Ingress;
  Job: V1Job;
  NetworkPolicy: V1NetworkPolicy;
  PodDisruptionBudget: V1PodDisruptionBudget;
  Service: V1Service;
}

export const listKind = <K extends keyof Kinds>(manifests: Manifest[], kind: K): Kinds[K][] =>
  manifests.filter((manifest) => manifest.kind === kind) as Kinds[K][];

export const nameOf = ({ metadata }: { metadata?: V1ObjectMeta }): string => metadata?.name ?? '';

/** What runs pods: a Deployment of an app, or the Job of the migrations. */
export interface Workload {
  kind: 'Deployment' | 'Job';
  name: string;
  /** The part of its image after `gatehouse/`. */
  app: string;
  template: V1PodTemplateSpec;
  labels: Record<string, string>;
  containers: V1Container[];
}

export function listWorkloads(manifests: Manifest[]): Workload[] {
  const deployments = listKind(manifests, 'Deployment').map((one) => toWorkload('Deployment', one));
  const jobs = listKind(manifests, 'Job').map((one) => toWorkload('Job', one));
  return [...deployments, ...jobs];
}

function toWorkload(kind: Workload['kind'], one: V1Deployment | V1Job): Workload {
  const template = one.spec?.template ?? {};
  const labels = template.metadata?.labels ?? {};
  const containers = template.spec?.containers ?? [];
  const app = labels['app.kubernetes.io/name'] ?? '';
  return { kind, name: nameOf(one), app, template, labels, containers };
}

/** `Deployment gateway`, as messages name it. */
export const describeManifest = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name ?? ''}`;
