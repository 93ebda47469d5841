import { listWorkloads } from '../support/manifest.js';
import { selects } from '../support/selects.js';
import type { Rule } from '../support/rule.js';

/** Pod Security `restricted`, and what the images promise: user 1000 and a read-only root file system. */
const securityRule: Rule = {
  name: 'security-context',
  *check(manifests) {
    for (const { kind, name, template, containers } of listWorkloads(manifests)) {
      const where = `${kind} ${name}`;
      const pod = template.spec?.securityContext ?? {};
      if (pod.runAsNonRoot !== true || pod.runAsUser !== 1000) yield `${where} does not run as user 1000`;
      if (pod.seccompProfile?.type !== 'RuntimeDefault') yield `${where} has no seccomp profile`;
      for (const { securityContext: own = {} } of containers) {
        if (own.allowPrivilegeEscalation !== false) yield `${where} allows privilege escalation`;
        if (own.readOnlyRootFilesystem !== true) yield `${where} has a writable root file system`;
        if (own.capabilities?.drop?.includes('ALL') !== true) yield `${where} keeps capabilities`;
        if (own.capabilities?.add !== undefined || own.privileged === true) yield `${where} adds privileges`;
      }
      if (template.spec?.hostNetwork === true || template.spec?.hostPID === true)
        yield `${where} shares a namespace of its node`;
      for (const { name: volume, ...source } of template.spec?.volumes ?? [])
        if (!['emptyDir', 'configMap', 'secret'].some((kind) => kind in source))
          yield `${where}: the volume ${volume} is of the node, or outlives the pod`;
    }
  },
};

const serviceAccountRule: Rule = {
  name: 'service-account',
  *check(manifests) {
    const accounts = manifests.filter(({ kind }) => kind === 'ServiceAccount');
    for (const { metadata, ...account } of accounts)
      if (!('automountServiceAccountToken' in account) || account.automountServiceAccountToken !== false)
        yield `ServiceAccount ${metadata.name ?? ''} mounts its token`;
    for (const { kind, name, app, template } of listWorkloads(manifests)) {
      if (template.spec?.automountServiceAccountToken !== false) yield `${kind} ${name} mounts a token`;
      if (template.spec?.enableServiceLinks !== false) yield `${kind} ${name} has variables of Services`;
      const account = template.spec?.serviceAccountName;
      if (account !== app || !accounts.some(({ metadata }) => metadata.name === account))
        yield `${kind} ${name}: there is no ServiceAccount ${account ?? ''} of its own`;
    }
  },
};

const HEALTH_PATHS = {
  livenessProbe: '/health/live',
  readinessProbe: '/health/ready',
  startupProbe: '/health/live',
};
/** What an app gives each of its readiness checks (libs/service, readiness.service.ts). */
const READINESS_CHECK_SECONDS = 2;

const probeRule: Rule = {
  name: 'probe',
  *check(manifests) {
    for (const { kind, name, containers } of listWorkloads(manifests).filter(
      (one) => one.kind === 'Deployment',
    ))
      for (const { ports = [], ...container } of containers)
        for (const [probe, path] of Object.entries(HEALTH_PATHS)) {
          const where = `${kind} ${name}: its ${probe}`;
          const { httpGet, timeoutSeconds = 1 } = container[probe as keyof typeof HEALTH_PATHS] ?? {};
          const port = ports.find(
            ({ name: own, containerPort }) => httpGet?.port === own || httpGet?.port === containerPort,
          );
          if (httpGet?.path !== path) yield `${where} must ask ${path}`;
          if (port?.name !== 'management')
            yield `${where} must ask the port \`management\`, which must exist`;
          if (timeoutSeconds <= READINESS_CHECK_SECONDS) yield `${where} ends before the app answers`;
        }
  },
};

const spreadRule: Rule = {
  name: 'topology-spread',
  *check(manifests) {
    for (const { kind, name, template } of listWorkloads(manifests).filter(
      (one) => one.kind === 'Deployment',
    )) {
      const constraints = template.spec?.topologySpreadConstraints ?? [];
      for (const key of ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'])
        if (!constraints.some(({ topologyKey }) => topologyKey === key))
          yield `${kind} ${name} is not spread over ${key}`;
    }
  },
};

/** Clusters without zones (kubeadm, kind, bare metal) spread by this alone. */
const antiAffinityRule: Rule = {
  name: 'anti-affinity',
  *check(manifests) {
    const deployments = listWorkloads(manifests).filter((one) => one.kind === 'Deployment');
    for (const { kind, name, template } of deployments) {
      const terms =
        template.spec?.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      const term = terms.find(
        ({ podAffinityTerm }) => podAffinityTerm.topologyKey === 'kubernetes.io/hostname',
      );
      const apart = deployments.filter(({ labels }) => selects(term?.podAffinityTerm.labelSelector, labels));
      if (term === undefined || apart.length !== 1 || apart[0]?.name !== name)
        yield `${kind} ${name}: its replicas, and no other pods, must prefer different nodes`;
    }
  },
};

export const podRules = [securityRule, serviceAccountRule, probeRule, spreadRule, antiAffinityRule];
