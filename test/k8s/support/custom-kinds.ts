import { z } from 'zod';

const metadata = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  labels: z.record(z.string(), z.string()),
});
const labels = z.strictObject({ matchLabels: z.record(z.string(), z.string()) });

export const scaledObjectSchema = z.strictObject({
  apiVersion: z.literal('keda.sh/v1alpha1'),
  kind: z.literal('ScaledObject'),
  metadata,
  spec: z.strictObject({
    scaleTargetRef: z.strictObject({ name: z.string() }),
    minReplicaCount: z.int().min(2),
    maxReplicaCount: z.int(),
    cooldownPeriod: z.int(),
    triggers: z.array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('cpu'),
          metricType: z.literal('Utilization'),
          metadata: z.strictObject({ value: z.string() }),
        }),
        z.strictObject({
          type: z.literal('prometheus'),
          metadata: z.strictObject({ serverAddress: z.url(), query: z.string(), threshold: z.string() }),
        }),
      ]),
    ),
  }),
});

export const prometheusRuleSchema = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('PrometheusRule'),
  metadata,
  spec: z.strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string(),
            expr: z.string(),
            for: z.string().regex(/^\d+[smh]$/),
            labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
            annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
          }),
        ),
      }),
    ),
  }),
});

export const serviceMonitorSchema = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('ServiceMonitor'),
  metadata,
  spec: z.strictObject({
    selector: labels,
    endpoints: z.array(
      z.strictObject({
        port: z.string(),
        path: z.literal('/metrics'),
        interval: z.string(),
        scrapeTimeout: z.string(),
        honorLabels: z.boolean(),
      }),
    ),
  }),
});

const gatewaySchema = z.strictObject({
  apiVersion: z.literal('gateway.networking.k8s.io/v1'),
  kind: z.literal('Gateway'),
  metadata,
  spec: z.strictObject({
    gatewayClassName: z.string(),
    listeners: z.array(
      z.strictObject({
        name: z.string(),
        hostname: z.string(),
        port: z.int(),
        protocol: z.enum(['HTTP', 'HTTPS']),
        tls: z.strictObject({
          mode: z.literal('Terminate'),
          certificateRefs: z.array(z.strictObject({ kind: z.literal('Secret'), name: z.string() })).min(1),
        }),
        allowedRoutes: z.strictObject({ namespaces: z.strictObject({ from: z.literal('Same') }) }),
      }),
    ),
  }),
});

export const httpRouteSchema = z.strictObject({
  apiVersion: z.literal('gateway.networking.k8s.io/v1'),
  kind: z.literal('HTTPRoute'),
  metadata,
  spec: z.strictObject({
    parentRefs: z.array(z.strictObject({ name: z.string() })),
    hostnames: z.array(z.string()),
    rules: z.array(
      z.strictObject({
        matches: z.array(
          z.strictObject({ path: z.strictObject({ type: z.literal('PathPrefix'), value: z.string() }) }),
        ),
        backendRefs: z.array(z.strictObject({ name: z.string(), port: z.int() })),
        timeouts: z.strictObject({ request: z.string() }),
      }),
    ),
  }),
});

export const externalSecretSchema = z.strictObject({
  apiVersion: z.literal('external-secrets.io/v1'),
  kind: z.literal('ExternalSecret'),
  metadata,
  spec: z.strictObject({
    refreshInterval: z.string(),
    secretStoreRef: z.strictObject({ kind: z.literal('ClusterSecretStore'), name: z.string() }),
    target: z.strictObject({ name: z.string(), creationPolicy: z.literal('Owner') }),
    dataFrom: z.array(z.strictObject({ extract: z.strictObject({ key: z.string() }) })),
  }),
});

/** The parts of custom resources that the components use. Their full models are not on npm. */
export const customKinds: Record<string, z.ZodType | undefined> = {
  ExternalSecret: externalSecretSchema,
  Gateway: gatewaySchema,
  HTTPRoute: httpRouteSchema,
  PrometheusRule: prometheusRuleSchema,
  ScaledObject: scaledObjectSchema,
  ServiceMonitor: serviceMonitorSchema,
};
