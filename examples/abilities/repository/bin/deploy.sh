#!/bin/sh
mkdir -p deployed
cp -R services/billing deployed/
echo '{"output_summary": "billing is deployed"}'
