import { EVENT_SCOPES, endpointEventType, type EndpointEventType, type Scope } from '@app/dto';
import { z } from 'zod';
import { formatMinute } from '../views/format-values.js';
import { oneTimeForm } from './application-form.js';
import type { Delivery, Endpoint, EndpointFields } from './endpoint-api.js';

/** What happens, in words. */
const EVENT_LABELS: Record<EndpointEventType, string> = {
  'role.granted': 'A member gets a role',
  'role.revoked': 'A member loses a role',
  'member.joined': 'Somebody joins a community',
  'member.left': 'A member leaves a community',
  'member.removed': 'A member is removed from a community',
  'check.completed': 'An asynchronous check has its result',
  'operation.changed': 'An operation of a smart account changes its state',
  'wallet.linked': 'A user who lets you read their wallets links one',
  'wallet.unlinked': 'Such a user removes a wallet',
  'application.approved': 'An operator approves this application',
};

const describeEvent = (type: string): string => {
  const known = endpointEventType.safeParse(type).data;
  if (known !== undefined) return EVENT_LABELS[known];
  if (type === 'endpoint.test') return 'Test event';
  return type === 'endpoint.challenge' ? 'Challenge' : type;
};

const eventField = (type: EndpointEventType): string => `event.${type}`;

export const endpointForm = oneTimeForm.catchall(z.string());
export type EndpointForm = z.output<typeof endpointForm>;

/** What was filled in; the operation judges it. @param fields of the form; empty ones are absent */
export const parseEndpointForm = ({
  url = '',
  description = '',
  ...fields
}: Record<string, string>): EndpointFields => ({
  url: url.trim(),
  description: description.trim(),
  events: endpointEventType.options.filter((type) => fields[eventField(type)] === 'on'),
});

export interface EventChoice {
  readonly field: string;
  readonly type: string;
  readonly label: string;
  readonly checked: boolean;
  /** The scope that the application lacks to be told of it. */
  readonly missingScope?: Scope;
}

export interface EndpointFormView {
  readonly url: string;
  readonly description: string;
  readonly events: readonly EventChoice[];
  /** Validation errors by field. */
  readonly problems: Record<string, string>;
  readonly labels: Record<string, string>;
}

export const toEndpointFormView = (
  { url, description, events }: EndpointFields,
  scopes: readonly Scope[],
  problems: Record<string, string> = {},
): EndpointFormView => ({
  ...{ url, description, problems },
  labels: { url: 'Address', events: 'What it is told', description: 'What it is for' },
  events: endpointEventType.options.map((type) => {
    const scope = EVENT_SCOPES[type];
    return {
      ...{ field: eventField(type), type, label: EVENT_LABELS[type], checked: events.includes(type) },
      ...(scope !== null && !scopes.includes(scope) && { missingScope: scope }),
    };
  }),
});

export const EMPTY_ENDPOINT: EndpointFields = { url: '', description: '', events: [] };

export interface EndpointView {
  readonly id: string;
  readonly url: string;
  /** What it is for, or its host. */
  readonly title: string;
  readonly events: string;
  readonly state: string;
  readonly stateLabel: string;
  /** The class of the label. */
  readonly mark: 'approved' | 'pending' | 'rejected';
  readonly text: string;
  readonly isVerified: boolean;
  readonly previousSecretEnds?: string;
}

const STATES: Record<string, Pick<EndpointView, 'stateLabel' | 'mark' | 'text'>> = {
  unverified: {
    stateLabel: 'not confirmed',
    mark: 'pending',
    text: 'It has not answered its challenge yet, and gets nothing else until it has.',
  },
  working: { stateLabel: 'working', mark: 'approved', text: 'It takes what it is sent.' },
  failing: {
    stateLabel: 'failing',
    mark: 'rejected',
    text: 'It did not take the last delivery. It is tried again, ever more rarely.',
  },
  disabled: {
    stateLabel: 'disabled',
    mark: 'rejected',
    text: 'It said that it wants nothing more, or failed for a day. It gets nothing until it answers a new challenge.',
  },
  suspended: {
    stateLabel: 'suspended',
    mark: 'rejected',
    text: 'This application is not approved for what endpoints are told of, so it gets nothing.',
  },
};

export function toEndpointView({
  id,
  url,
  description,
  events,
  health,
  previousSecretEnds,
}: Endpoint): EndpointView {
  const known = STATES[health.state] ?? { stateLabel: health.state, mark: 'pending', text: '' };
  const reason =
    health.lastFailure !== undefined && health.state !== 'working'
      ? ` The last reason: ${health.lastFailure}.`
      : '';
  return {
    ...{ id, url, title: description || new URL(url).host, state: health.state, isVerified: health.verified },
    ...{ ...known, text: known.text + reason },
    events: events.map(describeEvent).join(' · '),
    ...(previousSecretEnds !== undefined && {
      previousSecretEnds: formatMinute(new Date(previousSecretEnds)),
    }),
  };
}

export interface DeliveryView {
  readonly id: string;
  readonly event: string;
  readonly state: string;
  readonly stateLabel: string;
  readonly mark: EndpointView['mark'];
  readonly created: string;
  readonly attempts: string;
  readonly answer?: string;
  readonly canRepeat: boolean;
}

const DELIVERY_STATES: Record<string, Pick<DeliveryView, 'stateLabel' | 'mark'>> = {
  pending: { stateLabel: 'waits', mark: 'pending' },
  delivered: { stateLabel: 'taken', mark: 'approved' },
  failed: { stateLabel: 'failed', mark: 'rejected' },
};

export function toDeliveryView({ id, type, state, createdTime, attempts }: Delivery): DeliveryView {
  const last = attempts.at(-1);
  const untried =
    state === 'failed' ? 'not sent: the endpoint may not be told of it any more' : 'not tried yet';
  const outcome = last ? (last.failure ?? `answered ${String(last.status)}`) : untried;
  const count = attempts.length > 1 ? `${attempts.length} attempts, the last one ` : '';
  return {
    ...{
      id,
      state,
      event: describeEvent(type),
      ...(DELIVERY_STATES[state] ?? { stateLabel: state, mark: 'pending' as const }),
    },
    created: formatMinute(new Date(createdTime)),
    attempts: `${count}${outcome}`,
    ...(last?.answer !== undefined && { answer: last.answer }),
    canRepeat: state !== 'pending' && type !== 'endpoint.challenge',
  };
}
