import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type RoleAnswer, type RoleVerdict, readRole } from './checks.js';
import { askRoles, keyOf, type RoleQuestion } from './role-questions.js';

/** What `useRoles` asks. Without an account, as long as no wallet is connected, nothing is asked. */
export interface UseRolesOptions extends Omit<RoleQuestion, 'account'> {
  readonly account: string | undefined;
}

export interface UseRolesResult {
  /** `idle` without an account. */
  readonly status: 'idle' | 'loading' | 'success' | 'error';
  /** The answer for exactly this account and these rules; undefined until it is there. */
  readonly answer: RoleAnswer | undefined;
  readonly error: unknown;
  /** `undetermined` until the answer is there. It decides what a page shows, never what a server gives out. */
  readonly readRole: (roleId: string) => RoleVerdict;
  /** Asks again, also after an error. */
  readonly refresh: () => void;
}

interface Settled {
  readonly key: string;
  readonly answer?: RoleAnswer;
  readonly error?: unknown;
}

/**
 * Asks which roles published rules grant to an account. All components that ask the same share one request; it is aborted when none of
 * them is mounted any more. An answer is never shown for another account or other rules than those it is about.
 */
export function useRoles({ baseUrl, publishableId, account, rules }: UseRolesOptions): UseRolesResult {
  const key = account === undefined ? undefined : keyOf({ baseUrl, publishableId, account, rules });
  const [settled, setSettled] = useState<Settled>();
  const [round, setRound] = useState(0);
  const answeredRound = useRef(0);

  useEffect(() => {
    if (key === undefined) return undefined;
    let isMounted = true;
    const settle = (outcome: Omit<Settled, 'key'>): void => {
      if (isMounted) setSettled({ key, ...outcome });
    };
    // The key, not the objects: callers write lists of rules in place, which are new ones in each render.
    const [keptBaseUrl, keptId, keptAccount, keptRules] = JSON.parse(key) as [
      string,
      string,
      string,
      string[],
    ];
    const question = { baseUrl: keptBaseUrl, publishableId: keptId, account: keptAccount, rules: keptRules };
    // A refresh asks past the kept answers once. Questions after it use them again.
    const isAgain = round !== answeredRound.current;
    answeredRound.current = round;
    const { answer, leave } = askRoles(question, isAgain);
    answer.then(
      (value) => {
        settle({ answer: value });
      },
      (error: unknown) => {
        settle({ error });
      },
    );
    return () => {
      isMounted = false;
      leave();
    };
  }, [key, round]);

  const refresh = useCallback(() => {
    setSettled(undefined);
    setRound((before) => before + 1);
  }, []);
  const own = settled !== undefined && settled.key === key ? settled : undefined;
  return useMemo(
    () => ({
      status: statusOf(key, own),
      answer: own?.answer,
      error: own?.error,
      readRole: (roleId: string) => (own?.answer ? readRole(own.answer, roleId) : 'undetermined'),
      refresh,
    }),
    [key, own, refresh],
  );
}

function statusOf(key: string | undefined, settled: Settled | undefined): UseRolesResult['status'] {
  if (key === undefined) return 'idle';
  if (settled === undefined) return 'loading';
  return settled.answer ? 'success' : 'error';
}
