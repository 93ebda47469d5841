import { listKind, listWorkloads, nameOf } from '../support/manifest.js';
import type { Rule } from '../support/rule.js';
import { selects } from '../support/selects.js';

const isEmpty = (selector: Record<string, unknown> = {}): boolean => Object.keys(selector).length === 0;

const deploymentSelectorRule: Rule = {
  name: 'selector-within-labels',
  *check(manifests) {
    for (const deployment of listKind(manifests, 'Deployment')) {
      const { selector, template } = deployment.spec ?? {};
      if (isEmpty(selector?.matchLabels)) yield `Deployment ${nameOf(deployment)}: its selector is empty`;
      else if (!selects(selector, template?.metadata?.labels ?? {}))
        yield `Deployment ${nameOf(deployment)}: its selector does not match the labels of its pods`;
    }
  },
};

/** A Service selects the pods of one workload, and its target port exists there. */
const serviceRule: Rule = {
  name: 'service',
  *check(manifests) {
    for (const service of listKind(manifests, 'Service')) {
      const where = `Service ${nameOf(service)}`;
      const matchLabels = service.spec?.selector;
      const selected = listWorkloads(manifests).filter(({ labels }) => selects({ matchLabels }, labels));
      const [workload] = selected;
      if (workload === undefined || selected.length > 1 || isEmpty(matchLabels)) {
        yield `${where} selects ${selected.length} workloads`;
        continue;
      }
      const ports = workload.containers.flatMap(({ ports = [] }) => ports);
      for (const { targetPort } of service.spec?.ports ?? [])
        if (!ports.some(({ name, containerPort }) => targetPort === name || targetPort === containerPort))
          yield `${where}: its target port ${String(targetPort)} is not a port of ${workload.name}`;
    }
  },
};

/** Each Deployment has a budget of its own, which never forbids every eviction: that would block the drain of a node. */
const disruptionBudgetRule: Rule = {
  name: 'disruption-budget',
  *check(manifests) {
    const budgets = listKind(manifests, 'PodDisruptionBudget');
    const deployments = listWorkloads(manifests).filter(({ kind }) => kind === 'Deployment');
    for (const budget of budgets) {
      const { selector, minAvailable, maxUnavailable } = budget.spec ?? {};
      const selected = deployments.filter(({ labels }) => selects(selector, labels));
      if (selected.length !== 1)
        yield `PodDisruptionBudget ${nameOf(budget)} selects ${selected.length} workloads`;
      if (minAvailable !== undefined || /^0+%?$/.test(String(maxUnavailable)))
        yield `PodDisruptionBudget ${nameOf(budget)} can forbid every eviction`;
    }
    for (const { name, labels } of deployments)
      if (!budgets.some(({ spec }) => selects(spec?.selector, labels)))
        yield `Deployment ${name} has no PodDisruptionBudget`;
  },
};

const ingressRule: Rule = {
  name: 'ingress-backend',
  *check(manifests) {
    const services = listKind(manifests, 'Service');
    for (const ingress of listKind(manifests, 'Ingress')) {
      const backends = (ingress.spec?.rules ?? [])
        .flatMap(({ http }) => http?.paths ?? [])
        .flatMap(({ backend: { service } }) => (service === undefined ? [] : [service]));
      for (const { name, port } of backends) {
        const ports = services.find((service) => nameOf(service) === name)?.spec?.ports ?? [];
        if (!ports.some((one) => one.name === port?.name || one.port === port?.number))
          yield `Ingress ${nameOf(ingress)}: no Service ${name} with the port ${port?.name ?? port?.number ?? ''}`;
        if (name !== 'gateway')
          yield `Ingress ${nameOf(ingress)}: only the gateway may be public, not ${name}`;
      }
    }
  },
};

export const selectorRules = [deploymentSelectorRule, serviceRule, disruptionBudgetRule, ingressRule];
