import { EntryFilter } from './filter.ts';
import { SESSION_VERSION, type Session, type SessionEntry, type SessionFilter, type SessionHeader } from './format.ts';
import { SeenRequests } from './seen-requests.ts';
