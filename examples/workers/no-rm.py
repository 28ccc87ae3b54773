import json, sys

for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if "rm -rf" in request["input"]["tool_input"].get("command", ""):
        answer["output"] = {"decision": "deny", "reason": "rm -rf is not allowed here"}
    print(json.dumps(answer), flush=True)
