#!/usr/bin/env node
// Crashes: the file it wants was never there.
import { readFileSync } from 'node:fs';

readFileSync('usage.json');
