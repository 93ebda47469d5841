import 'reflect-metadata';
import { migrateCommand } from '@app/database';
import { storage } from './limit/storage.js';

await migrateCommand(storage);
