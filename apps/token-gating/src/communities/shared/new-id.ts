import { randomBytes } from 'node:crypto';
import { toBase62 } from '@app/common';

export const newId = (kind: 'community' | 'role'): string => `${kind}_${toBase62(randomBytes(12), 17)}`;
