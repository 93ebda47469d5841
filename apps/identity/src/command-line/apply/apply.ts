import { dirname, join, resolve } from 'node:path';
import { formatErrorReason } from '@app/common';
import { APPROVAL_SCOPES } from '@app/dto';
import { EXIT_CODES } from '@app/database';
import { COMMAND_LINE_EXIT_CODES, CommandLineError } from '../command-line.errors.js';
import { ApiError, GatehouseApi } from '../gatehouse-api.js';
import {
  type ApplyContext,
  type ApplyOptions,
  listAdministrated,
  listOwnApplications,
  listSettled,
} from './apply-context.js';
import type { Declaration, DeclaredApplication } from './declaration.js';
import {
  planApplication,
  type PlannedApplication,
  planScopeReduction,
  toKeyVariable,
} from './plan-application.js';
import { planCommunity } from './plan-community.js';
import { planEndpoints, toEndpointVariable } from './plan-endpoints.js';
import { planKeys } from './plan-keys.js';
import { planPublishedRules } from './plan-published-rules.js';
import { Plan, type Step, WaitingError } from './plan.js';
import { remoteUser } from './remote-schemas.js';
import { SecretFile } from './secret-file.js';

export interface ApplyRequest extends ApplyOptions {
  readonly api: GatehouseApi;
  readonly file: string;
  readonly declaration: Declaration;
  /** A folder for the secrets of applications that name no file. */
  readonly secretsFolder: string | undefined;
  readonly isDryRun: boolean;
  /** Whether what cannot be undone may be done. */
  readonly hasConsent: boolean;
  readonly print: (line: string) => void;
}

interface StepResult extends Pick<Step, 'action' | 'what'> {
  readonly details: readonly string[];
  readonly outcome: 'planned' | 'done' | 'waiting';
  readonly reason?: string;
}

export interface ApplyResult {
  readonly steps: readonly StepResult[];
  readonly unchanged: readonly string[];
  readonly notInTheFile: readonly string[];
  readonly notes: readonly string[];
  readonly waiting: readonly string[];
}

const SIGNS: Record<Step['action'], string> = { create: '+', change: '~', delete: '-', approve: '!' };
const PAST: Record<Step['action'], string> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  approve: 'approved',
};

/** Plans everything that a file declares, prints the plan, and carries it out step by step. @throws CommandLineError, ApiError */
export async function apply(request: ApplyRequest): Promise<ApplyResult> {
  const { api, print } = request;
  const user = await api.call('GET', '/account/me', remoteUser);
  print(`${api.origin}, as ${user.name ?? user.address ?? user.id}\n`);
  const context: ApplyContext = {
    ...request,
    withApiKey: (key) => new GatehouseApi(api.origin, () => Promise.resolve({ 'x-api-key': key })),
    userId: user.id,
    plan: new Plan(),
    applications: new Map(),
    ownClientIds: new Set(),
    hasApproved: false,
  };
  await planAll(context, request);
  const { plan } = context;
  if (plan.problems.length > 0) throw new CommandLineError(plan.problems.join('\n'), EXIT_CODES.data);
  printPlan(plan, print);
  requireConsent(plan, request);
  const steps = request.isDryRun
    ? plan.steps.map((step) => toResult(step, 'planned'))
    : await runSteps(plan, print);
  const waiting = [
    ...steps.flatMap(({ what, reason }) => (reason === undefined ? [] : [`${what}: ${reason}`])),
    ...(request.isDryRun ? [] : await listWaitingApplications(context)),
  ];
  for (const line of waiting) print(`waits: ${line}`);
  return { steps, unchanged: plan.unchanged, notInTheFile: plan.extra, notes: plan.notes, waiting };
}

async function planAll(context: ApplyContext, request: ApplyRequest): Promise<void> {
  const { api, declaration } = request;
  const secretFiles = findSecretFiles(request, context.plan);
  const namesApplications =
    declaration.applications.length > 0 || declaration.communities.some(({ applications }) => applications);
  const named = findNames(declaration.applications.filter(({ clientId }) => clientId === undefined));
  const own = namesApplications ? await listSettled(() => listOwnApplications(api), named) : [];
  for (const { clientId } of own) context.ownClientIds.add(clientId);
  const planned = new Map<DeclaredApplication, PlannedApplication>();
  for (const declared of declaration.applications) {
    const secrets = secretFiles.get(declared);
    const application = planApplication(context, own, declared, secrets);
    if (!application) continue;
    planned.set(declared, application);
    context.applications.set(declared.name, application.handle);
    await planKeys(context, declared, application, secrets);
    await planEndpoints(context, declared, application, secrets);
  }
  if (declaration.communities.length > 0) {
    const names = findNames(declaration.communities.filter(({ communityId }) => communityId === undefined));
    const list = () => listAdministrated(api);
    const communities = await listSettled(list, names, ({ ownerId }) => ownerId === context.userId);
    for (const declared of declaration.communities) await planCommunity(context, communities, declared);
  }
  for (const [declared, application] of planned)
    await planPublishedRules(context, declared, application, secretFiles.get(declared));
  for (const [declared, { existing }] of planned)
    if (existing) planScopeReduction(context, declared, existing);
}

const findNames = (all: readonly { readonly name: string }[]): string[] => all.map(({ name }) => name);

/**
 * Each application has a file of its own, because names of variables would collide in a shared one.
 * @throws CommandLineError where a file cannot be used
 */
function findSecretFiles(
  { file, declaration, secretsFolder }: ApplyRequest,
  plan: Plan,
): Map<DeclaredApplication, SecretFile> {
  const found = new Map<DeclaredApplication, SecretFile>();
  const users = new Map<string, string>();
  for (const declared of declaration.applications) {
    const path = findSecretPath(declared, file, secretsFolder);
    if (path === undefined) continue;
    const other = users.get(path);
    if (other !== undefined)
      plan.problems.push(`applications "${other}" and "${declared.name}" have one file of secrets: ${path}`);
    users.set(path, declared.name);
    const secrets = new SecretFile(path);
    // A file that cannot be used is refused before anything is changed.
    secrets.read();
    found.set(declared, secrets);
    for (const name of findRepeated(listVariables(declared)))
      plan.problems.push(
        `application "${declared.name}": two of its secrets would be ${name} in ${path}; give one a secretName.`,
      );
  }
  return found;
}

function findSecretPath(
  { name, secretFile }: DeclaredApplication,
  file: string,
  secretsFolder: string | undefined,
): string | undefined {
  if (secretFile !== undefined) return resolve(dirname(file), secretFile);
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return secretsFolder === undefined
    ? undefined
    : join(resolve(secretsFolder), `${slug || 'application'}.env`);
}

const listVariables = (declared: DeclaredApplication): string[] => [
  ...(declared.keys ?? []).map(({ name }) => toKeyVariable(declared, name)),
  ...(declared.callbackEndpoints ?? []).map(toEndpointVariable),
];

const findRepeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

function printPlan({ steps, unchanged, extra, notes }: Plan, print: (line: string) => void): void {
  for (const { action, what, details = [], needsConsent } of steps) {
    print(`  ${SIGNS[action]} ${action} ${what}`);
    for (const line of details) print(`      ${line}`);
    if (needsConsent !== undefined) print(`      needs --yes: ${needsConsent}`);
  }
  if (extra.length > 0) {
    print('\nNot in the file, and kept (--prune removes it):');
    for (const what of extra) print(`    ${what}`);
  }
  for (const note of notes) print(`note: ${note}`);
  const counts = Object.keys(SIGNS).flatMap((action) => {
    const count = steps.filter((step) => step.action === action).length;
    return count > 0 ? [`${action} ${String(count)}`] : [];
  });
  print(`\n${[...counts, `unchanged ${String(unchanged.length)}`].join(', ')}`);
}

/** @throws CommandLineError that names what cannot be undone */
function requireConsent({ steps }: Plan, { hasConsent, isDryRun }: ApplyRequest): void {
  const final = steps.flatMap(({ what, needsConsent }) =>
    needsConsent === undefined ? [] : [`  ${what}: ${needsConsent}`],
  );
  if (final.length === 0 || hasConsent || isDryRun) return;
  throw new CommandLineError(
    `Nothing was changed. This cannot be undone, so it needs --yes:\n${final.join('\n')}`,
    EXIT_CODES.usage,
  );
}

async function runSteps({ steps }: Plan, print: (line: string) => void): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const step of steps) {
    try {
      await step.run();
      results.push(toResult(step, 'done'));
      print(`${PAST[step.action]} ${step.what}`);
    } catch (error) {
      if (!(error instanceof WaitingError)) throw describeFailure(error, step, results.length, steps.length);
      results.push({ ...toResult(step, 'waiting'), reason: error.message });
    }
  }
  return results;
}

const toResult = ({ action, what, details = [] }: Step, outcome: StepResult['outcome']): StepResult => ({
  action,
  what,
  details,
  outcome,
});

function findExitCode(error: unknown): number {
  if (error instanceof CommandLineError) return error.exitCode;
  const isRefused = error instanceof ApiError && [401, 403].includes(error.status);
  return isRefused ? COMMAND_LINE_EXIT_CODES.noPermission : EXIT_CODES.failed;
}

function describeFailure(
  error: unknown,
  { action, what }: Step,
  done: number,
  all: number,
): CommandLineError {
  return new CommandLineError(
    `Could not ${action} ${what}: ${formatErrorReason(error)}\n${String(done)} of ${String(all)} steps are done. Run it again once this is mended: it goes on from here.`,
    findExitCode(error),
    { cause: error },
  );
}

/** Applications of the file that operators have not decided about. */
async function listWaitingApplications({ api, applications }: ApplyContext): Promise<string[]> {
  if (applications.size === 0) return [];
  const ids = new Set([...applications.values()].map(({ clientId }) => clientId));
  const own = (await listOwnApplications(api)).filter(({ clientId }) => ids.has(clientId));
  return own.flatMap(({ name, status, rejectionReason, requestedScopes, approvedScopes }) => {
    if (status === 'rejected')
      return [
        `application "${name}": an operator rejected it${rejectionReason === undefined ? '' : `: ${rejectionReason}`}`,
      ];
    if (status !== 'pending') return [];
    const scopes = APPROVAL_SCOPES.filter(
      (scope) => requestedScopes.includes(scope) && !approvedScopes.includes(scope),
    );
    return [`application "${name}": an operator's approval of ${scopes.join(', ') || 'its changes'}`];
  });
}
