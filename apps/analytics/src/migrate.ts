import 'reflect-metadata';
import { migrateCommand } from '@app/database';
import { storage } from './database/storage.js';

await migrateCommand(storage);
