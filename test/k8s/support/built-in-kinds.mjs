/**
 * The API versions of built-in kinds; `base`, `local` and `production` hold no others.
 * @type {Record<string, string>}
 */
export const BUILT_IN_KINDS = {
  ConfigMap: 'v1',
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Ingress: 'networking.k8s.io/v1',
  Job: 'batch/v1',
  Namespace: 'v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
  PriorityClass: 'scheduling.k8s.io/v1',
  Service: 'v1',
  ServiceAccount: 'v1',
};

/** `apps/v1` and `Deployment` are V1Deployment. @param {string} apiVersion @param {string} kind */
export const toModelName = (apiVersion, kind) =>
  `${apiVersion.replace(/^.*\//, '').replace(/^v/, 'V')}${kind}`;
