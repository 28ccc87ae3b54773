#!/bin/sh
# A real one would be longer.
if node services/billing/invoice.mjs 3 | grep -q 'total: 42'; then
  echo '{"output_summary": "1 test passed"}'
else
  echo '{"status": "failure", "error_message": "1 test failed: 3 hours should cost 42"}'
fi
