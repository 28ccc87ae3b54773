#!/usr/bin/env sh
# Waits for a service that does not answer. Its timeout ends it, and what it started.
sleep 600
