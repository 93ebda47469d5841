import { apps } from '../../../scripts/suite/apps.mjs';
import { type Manifest, listKind, nameOf } from './manifest.js';

export interface PlantedFault {
  /** What somebody wrote by mistake. */
  title: string;
  /** The only rule that finds it. */
  rule: string;
  plant: (manifests: Manifest[]) => void;
}

function find<K extends Parameters<typeof listKind>[1]>(manifests: Manifest[], kind: K, name: string) {
  const found = listKind(manifests, kind).find((one) => nameOf(one) === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

const deployment = (manifests: Manifest[], name: string) => {
  const { spec } = find(manifests, 'Deployment', name);
  const pod = spec?.template.spec;
  const container = pod?.containers[0];
  if (spec === undefined || pod === undefined || container === undefined) throw new Error('It has no pods');
  return { spec, pod, container };
};

const policy = (manifests: Manifest[], name: string) => {
  const { spec } = find(manifests, 'NetworkPolicy', name);
  if (spec === undefined) throw new Error('It has no rules');
  return spec;
};

const configMap = (manifests: Manifest[], app: string): Record<string, string> => {
  const found = listKind(manifests, 'ConfigMap').find((map) => nameOf(map).startsWith(`gatehouse-${app}-`));
  if (found?.data === undefined) throw new Error(`There is no ConfigMap of ${app}`);
  return found.data;
};

const withoutRedis = (manifests: Manifest[], app: string): void => {
  const { container } = deployment(manifests, app);
  container.env = container.env?.filter(({ name }) => name !== 'REDIS_URL');
};

const remove = (manifests: Manifest[], kind: string, name: string): void => {
  const index = manifests.findIndex((one) => one.kind === kind && one.metadata.name === name);
  if (index === -1) throw new Error(`There is no ${kind} ${name}`);
  manifests.splice(index, 1);
};

/** Mistakes in what the overlay `production` builds, each with the rule that must find it. */
export const plantedFaults: PlantedFault[] = [
  {
    title: 'a secret variable that no pod gets',
    rule: 'variable-secret-reaches',
    plant: (all) => {
      const { container } = deployment(all, 'account-kit');
      container.env = container.env?.filter(({ name }) => name !== 'ACCOUNT_KEY_SECRET_PREVIOUS');
    },
  },
  {
    title: 'an app without the Secret of chain nodes',
    rule: 'variable-secret-reaches',
    plant: (all) => {
      const { container } = deployment(all, 'identity');
      container.envFrom = container.envFrom?.filter(({ secretRef }) => secretRef === undefined);
    },
  },
  {
    title: 'replicas that avoid the pods of another app',
    rule: 'anti-affinity',
    plant: (all) => {
      const [gateway, identity] = ['gateway', 'identity'].map((app) => deployment(all, app).pod);
      if (gateway && identity?.affinity) gateway.affinity = identity.affinity;
    },
  },
  {
    title: 'a field that does not exist',
    rule: 'model',
    plant: (all) => Object.assign(deployment(all, 'gateway').spec, { replica: 2 }),
  },
  {
    title: 'text where a number belongs',
    rule: 'model',
    plant: (all) =>
      Object.assign(deployment(all, 'gateway').container.ports?.[0] ?? {}, { containerPort: '8080' }),
  },
  {
    title: 'a required field left out',
    rule: 'model',
    plant: (all) => Object.assign(deployment(all, 'gateway').container, { name: undefined }),
  },
  {
    title: 'an API version that was removed',
    rule: 'model',
    plant: (all) =>
      Object.assign(find(all, 'PodDisruptionBudget', 'gateway'), { apiVersion: 'policy/v1beta1' }),
  },
  {
    title: 'a selector beside the labels of its pods',
    rule: 'selector-within-labels',
    plant: (all) => (deployment(all, 'identity').spec.selector = { matchLabels: { app: 'identity' } }),
  },
  {
    title: 'a Service of pods that do not exist',
    rule: 'service',
    plant: (all) =>
      Object.assign(find(all, 'Service', 'analytics'), {
        spec: {
          selector: { 'app.kubernetes.io/name': 'analytic' },
          ports: [{ port: 80, targetPort: 'http' }],
        },
      }),
  },
  {
    title: 'a target port that no container has',
    rule: 'service',
    plant: (all) =>
      Object.assign(find(all, 'Service', 'gateway'), {
        spec: {
          selector: { 'app.kubernetes.io/name': 'gateway' },
          ports: [{ name: 'http', port: 80, targetPort: 'web' }],
        },
      }),
  },
  {
    title: 'a budget whose selector is empty',
    rule: 'disruption-budget',
    plant: (all) =>
      Object.assign(find(all, 'PodDisruptionBudget', 'gateway'), {
        spec: { maxUnavailable: 1, selector: {} },
      }),
  },
  {
    title: 'an Ingress to a port that its Service does not have',
    rule: 'ingress-backend',
    plant: (all) =>
      Object.assign(find(all, 'Ingress', 'gatehouse'), {
        spec: {
          rules: [
            {
              http: {
                paths: [
                  {
                    path: '/',
                    pathType: 'Prefix',
                    backend: { service: { name: 'gateway', port: { name: 'web' } } },
                  },
                ],
              },
            },
          ],
        },
      }),
  },
  {
    title: 'a request above its limit',
    rule: 'request-within-limit',
    plant: (all) =>
      Object.assign(deployment(all, 'analytics').container.resources?.requests ?? {}, { memory: '2Gi' }),
  },
  {
    title: 'a quantity with a wrong unit',
    rule: 'quantity',
    plant: (all) =>
      Object.assign(deployment(all, 'analytics').container.resources?.limits ?? {}, { cpu: '2cores' }),
  },
  {
    title: 'a container without limits',
    rule: 'resources',
    plant: (all) =>
      (deployment(all, 'account-kit').container.resources = {
        requests: { cpu: '1', memory: '64Mi', 'ephemeral-storage': '1Mi' },
      }),
  },
  {
    title: 'a writable root file system',
    rule: 'security-context',
    plant: (all) =>
      Object.assign(deployment(all, 'token-gating').container.securityContext ?? {}, {
        readOnlyRootFilesystem: false,
      }),
  },
  {
    title: 'a mounted service account token',
    rule: 'service-account',
    plant: (all) => (deployment(all, 'token-gating').pod.automountServiceAccountToken = true),
  },
  {
    title: 'a probe of a port that does not exist',
    rule: 'probe',
    plant: (all) =>
      Object.assign(deployment(all, 'identity').container.readinessProbe?.httpGet ?? {}, { port: 'health' }),
  },
  {
    title: 'a liveness probe of readiness',
    rule: 'probe',
    plant: (all) =>
      Object.assign(deployment(all, 'identity').container.livenessProbe?.httpGet ?? {}, {
        path: '/health/ready',
      }),
  },
  {
    title: 'replicas that may all run on one node',
    rule: 'topology-spread',
    plant: (all) => (deployment(all, 'gateway').pod.topologySpreadConstraints = []),
  },
  {
    title: 'a misspelled variable',
    rule: 'variable-known',
    plant: (all) => (configMap(all, 'gateway')['UPSTREAM_TIMOUT_MS'] = '15000'),
  },
  {
    title: 'a variable of another app',
    rule: 'variable-known',
    plant: (all) => (configMap(all, 'account-kit')['IPFS_GATEWAYS'] = 'https://ipfs.example.com'),
  },
  {
    title: 'a required variable left out',
    rule: 'variable-required',
    plant: (all) => delete configMap(all, 'identity')['CREDENTIAL_ENVIRONMENT'],
  },
  {
    title: 'no platform for smart accounts',
    rule: 'variable-answering',
    plant: (all) => delete configMap(all, 'account-kit')['PLATFORM_CHAT_URL'],
  },
  {
    title: 'no gateway for metadata at ipfs://',
    rule: 'variable-answering',
    plant: (all) => delete configMap(all, 'token-gating')['IPFS_GATEWAYS'],
  },
  {
    title: 'a value outside of its range',
    rule: 'variable-value',
    plant: (all) => (configMap(all, 'analytics')['DATABASE_POOL_SIZE'] = '1000'),
  },
  {
    title: 'an internal URL with a path',
    rule: 'variable-value',
    plant: (all) => (configMap(all, 'gateway')['IDENTITY_URL'] = 'http://identity/api'),
  },
  {
    title: 'a secret in a ConfigMap',
    rule: 'variable-secret',
    plant: (all) => (configMap(all, 'token-gating')['OPENSEA_API_KEY'] = 'example'),
  },
  {
    title: 'the Secret of another app',
    rule: 'variable-secret',
    plant: (all) => {
      const { env = [] } = deployment(all, 'analytics').container;
      const queues = env.find(({ name }) => name === 'QUEUE_DATABASE_URL');
      Object.assign(queues?.valueFrom?.secretKeyRef ?? {}, { name: 'gatehouse-identity' });
    },
  },
  {
    title: 'a variable that is set twice',
    rule: 'variable-duplicate',
    plant: (all) => deployment(all, 'gateway').container.env?.push({ name: 'PORT', value: '8080' }),
  },
  {
    title: 'a grace period that ends before the drain',
    rule: 'shutdown',
    plant: (all) => (deployment(all, 'gateway').pod.terminationGracePeriodSeconds = 30),
  },
  {
    title: 'replicas beside an autoscaler',
    rule: 'autoscaler',
    plant: (all) => (deployment(all, 'identity').spec.replicas = 3),
  },
  {
    title: 'several gateways without Redis',
    rule: 'autoscaler',
    plant: (all) => {
      for (const one of apps) withoutRedis(all, one.name);
    },
  },
  {
    title: 'one app without the Redis of the others',
    rule: 'variable-redis',
    plant: (all) => {
      withoutRedis(all, 'account-kit');
    },
  },
  {
    title: 'an app that asks another than it may connect to',
    rule: 'network-url',
    plant: (all) => (configMap(all, 'analytics')['TOKEN_GATING_URL'] = 'http://account-kit'),
  },
  {
    title: 'a rollout that removes a pod first',
    rule: 'rollout-strategy',
    plant: (all) =>
      (deployment(all, 'gateway').spec.strategy = {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 1 },
      }),
  },
  {
    title: 'an image that the build does not make',
    rule: 'image',
    plant: (all) => (deployment(all, 'gateway').container.image = 'gatehouse/gateway:latest'),
  },
  {
    title: 'a ConfigMap that does not exist',
    rule: 'reference',
    plant: (all) =>
      deployment(all, 'gateway').container.envFrom?.push({ configMapRef: { name: 'gatehouse-extra' } }),
  },
  {
    title: 'a name with an underscore',
    rule: 'name',
    plant: (all) =>
      (find(all, 'HorizontalPodAutoscaler', 'gateway').metadata = {
        name: 'gate_way',
        namespace: 'gatehouse',
        labels: { 'app.kubernetes.io/part-of': 'gatehouse' },
      }),
  },
  {
    title: 'a value that an enumeration does not have',
    rule: 'enumeration',
    plant: (all) => (deployment(all, 'gateway').container.imagePullPolicy = 'always'),
  },
  {
    title: 'a permitted pair with one end',
    rule: 'network-pair',
    plant: (all) => Object.assign(policy(all, 'analytics'), { ingress: [] }),
  },
  {
    title: 'a pair of apps that is not permitted',
    rule: 'network-pair',
    plant: (all) =>
      policy(all, 'analytics').egress?.push({
        to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'identity' } } }],
        ports: [{ protocol: 'TCP', port: 'http' }],
      }),
  },
  {
    title: 'DNS over UDP only',
    rule: 'network-peer',
    plant: (all) => policy(all, 'dns').egress?.[0]?.ports?.pop(),
  },
  {
    title: 'an egress rule without a destination',
    rule: 'network-peer',
    plant: (all) => policy(all, 'gateway').egress?.push({ ports: [{ protocol: 'TCP', port: 443 }] }),
  },
  {
    title: 'no policy that denies by default',
    rule: 'network-default-deny',
    plant: (all) => {
      remove(all, 'NetworkPolicy', 'default-deny');
    },
  },
];

const custom = (manifests: Manifest[], kind: string): Record<string, unknown> => {
  const found = manifests.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`There is no ${kind}`);
  return (found as Manifest & { spec: Record<string, unknown> }).spec;
};

/** Mistakes in the examples of the components, each with the rule that must find it. */
export const plantedComponentFaults: (PlantedFault & { folder: string })[] = [
  {
    folder: 'overlays/example-keda',
    title: 'a ScaledObject of a Deployment that does not exist',
    rule: 'scaled-object',
    plant: (all) => (custom(all, 'ScaledObject')['scaleTargetRef'] = { name: 'token-gate' }),
  },
  {
    folder: 'overlays/example-keda',
    title: 'a trigger by a metric that no app exposes',
    rule: 'metric-query',
    plant: (all) => {
      const [, trigger] = custom(all, 'ScaledObject')['triggers'] as { metadata: { query: string } }[];
      if (trigger !== undefined) trigger.metadata.query = 'sum(queue_jobs_waiting{service="token-gating"})';
    },
  },
  {
    folder: 'overlays/example-keda',
    title: 'a misspelled field of a ScaledObject',
    rule: 'model',
    plant: (all) => (custom(all, 'ScaledObject')['minReplicas'] = 2),
  },
  {
    folder: 'overlays/example-monitoring',
    title: 'an alert without a section in the runbook',
    rule: 'runbook',
    plant: (all) => {
      const [group] = custom(all, 'PrometheusRule')['groups'] as { rules: { alert: string }[] }[];
      const rule = group?.rules.find(({ alert }) => alert === 'OutboxLate');
      if (rule !== undefined) group?.rules.push({ ...rule, alert: 'OutboxVeryLate' });
    },
  },
  {
    folder: 'overlays/example-monitoring',
    title: 'a monitor of a port that Services do not have',
    rule: 'service-monitor',
    plant: (all) => {
      const [endpoint] = custom(all, 'ServiceMonitor')['endpoints'] as { port: string }[];
      if (endpoint !== undefined) endpoint.port = 'metrics';
    },
  },
  {
    folder: 'overlays/example-gateway-api',
    title: 'a route to an app behind the gateway',
    rule: 'http-route',
    plant: (all) => {
      const [rule] = custom(all, 'HTTPRoute')['rules'] as { backendRefs: unknown }[];
      if (rule !== undefined) rule.backendRefs = [{ name: 'identity', port: 80 }];
    },
  },
  {
    folder: 'overlays/example-external-secrets',
    title: 'a Secret that no ExternalSecret makes',
    rule: 'external-secret',
    plant: (all) => {
      remove(all, 'ExternalSecret', 'gatehouse-migrate');
    },
  },
];
