import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';
import {
  type AccountFreezesResponse,
  accountFreezesResponse,
  type AccountPolicyRequest,
  type CheckAccountPolicyRequest,
  type CheckAccountPolicyResponse,
  checkAccountPolicyResponse,
  doneResponse,
  type PolicyChangeResponse,
  policyChangeResponse,
  type RemoveAccountPolicyRequest,
  type RemoveFreezeRequest,
  type SetAccountPolicyRequest,
  type SetFreezeRequest,
  type SetFreezeResponse,
  setFreezeResponse,
  type StoredAccountPolicyResponse,
  storedAccountPolicyResponse,
} from '@app/dto';
import { RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { z } from 'zod';

/** Settings of the client for account-kit's internal API. */
const accountKitClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ ACCOUNT_KIT_URL: true }).shape,
);

export class AccountKitClientConfig extends createConfigClass(accountKitClientConfigSchema) {}

/** A freeze waits for transactions that are being stored. */
const TIMEOUT_MS = 10_000;
/** Client of account-kit's internal API for operators. Methods throw AppError 503 without a valid response in ten seconds. */
@Injectable()
export class AccountKitClient implements OnApplicationShutdown {
  private readonly client: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, ACCOUNT_KIT_URL: origin }: AccountKitClientConfig) {
    this.client = new InternalClient({ signingKey, app: 'account-kit', origin, timeoutMs: TIMEOUT_MS });
  }

  loadPolicy(request: AccountPolicyRequest): Promise<StoredAccountPolicyResponse> {
    return this.post('account-policies/load', request, storedAccountPolicyResponse);
  }

  checkPolicy(request: CheckAccountPolicyRequest): Promise<CheckAccountPolicyResponse> {
    return this.post('account-policies/check', request, checkAccountPolicyResponse);
  }

  /** @returns not done if the policy has another revision */
  setPolicy(request: SetAccountPolicyRequest): Promise<PolicyChangeResponse> {
    return this.post('account-policies/set', request, policyChangeResponse);
  }

  /** @returns not done if the policy has another revision */
  removePolicy(request: RemoveAccountPolicyRequest): Promise<PolicyChangeResponse> {
    return this.post('account-policies/remove', request, policyChangeResponse);
  }

  listFreezes(): Promise<AccountFreezesResponse> {
    return orUnavailable(this.client.get('/internal/account-freezes', accountFreezesResponse));
  }

  setFreeze(request: SetFreezeRequest): Promise<SetFreezeResponse> {
    return this.post('account-freezes/set', request, setFreezeResponse);
  }

  async removeFreeze(request: RemoveFreezeRequest): Promise<void> {
    await this.post('account-freezes/remove', request, doneResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  private post<S extends z.ZodType>(path: string, body: object, schema: S): Promise<z.output<S>> {
    return orUnavailable(this.client.post(`/internal/${path}`, body, schema));
  }
}

async function orUnavailable<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (cause) {
    throw serviceUnavailable(
      'account_kit_unavailable',
      'Account-kit cannot be asked at the moment.',
      { retryAfter: RETRY_AFTER_SECONDS.progress },
      { cause },
    );
  }
}
