import { listEnvironment, type SetVariable } from '../support/environment.js';
import { listKind, listWorkloads, nameOf } from '../support/manifest.js';
import type { Rule } from '../support/rule.js';

const readNumber = (environment: SetVariable[], name: string): number =>
  Number(environment.find((variable) => variable.name === name)?.value);

/** The kubelet kills no app that still drains: its grace covers preStop and the app's own grace. */
const shutdownRule: Rule = {
  name: 'shutdown',
  *check(manifests) {
    for (const workload of listWorkloads(manifests).filter(({ kind }) => kind === 'Deployment')) {
      const where = `Deployment ${workload.name}`;
      const environment = listEnvironment(manifests, workload);
      const graceMs = readNumber(environment, 'SHUTDOWN_GRACE_MS');
      const delayMs = readNumber(environment, 'SHUTDOWN_DELAY_MS');
      const preStop = workload.containers[0]?.lifecycle?.preStop?.sleep?.seconds;
      const podSeconds = workload.template.spec?.terminationGracePeriodSeconds ?? 30;
      if (preStop === undefined) yield `${where} has no preStop sleep`;
      else if (!(podSeconds * 1_000 > preStop * 1_000 + graceMs))
        yield `${where}: ${podSeconds} s of grace end before preStop and SHUTDOWN_GRACE_MS`;
      if (!(delayMs < graceMs)) yield `${where}: SHUTDOWN_DELAY_MS takes all of SHUTDOWN_GRACE_MS`;
    }
  },
};

/** Autoscalers need Redis, own the number of replicas, and target what exists. */
const autoscalerRule: Rule = {
  name: 'autoscaler',
  *check(manifests) {
    const workloads = listWorkloads(manifests);
    for (const scaler of listKind(manifests, 'HorizontalPodAutoscaler')) {
      const where = `HorizontalPodAutoscaler ${nameOf(scaler)}`;
      const { scaleTargetRef, minReplicas = 1, maxReplicas } = scaler.spec;
      const deployment = listKind(manifests, 'Deployment').find(
        (one) => nameOf(one) === scaleTargetRef.name && scaleTargetRef.kind === 'Deployment',
      );
      if (deployment === undefined) yield `${where} scales a Deployment that does not exist`;
      if (deployment?.spec?.replicas !== undefined) yield `${where}: its Deployment sets replicas, too`;
      if (minReplicas < 2 || minReplicas > maxReplicas)
        yield `${where}: from ${minReplicas} to ${maxReplicas}`;
    }
    const hasRedis = workloads.some(
      (one) =>
        one.app === 'gateway' && listEnvironment(manifests, one).some(({ name }) => name === 'REDIS_URL'),
    );
    const scaled = listKind(manifests, 'HorizontalPodAutoscaler').length > 0;
    const gateway = listKind(manifests, 'Deployment').find((one) => nameOf(one) === 'gateway');
    if (!hasRedis && (scaled || (gateway?.spec?.replicas ?? 1) > 1))
      yield 'without REDIS_URL one gateway is the supported shape';
  },
};

/** A rollout takes no pod away before its successor is ready. */
const strategyRule: Rule = {
  name: 'rollout-strategy',
  *check(manifests) {
    for (const deployment of listKind(manifests, 'Deployment')) {
      const { type, rollingUpdate } = deployment.spec?.strategy ?? {};
      if (type !== 'RollingUpdate' || rollingUpdate?.maxUnavailable !== 0)
        yield `Deployment ${nameOf(deployment)} removes pods before their successors are ready`;
    }
  },
};

export const rolloutRules = [shutdownRule, autoscalerRule, strategyRule];
