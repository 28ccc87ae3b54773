import { type Agent, type AgentOutputType, type Handoff, handoff, type ModelProvider, Runner } from '@openai/agents';
import type { Hooks } from '../../facade/index.ts';
import { expectHooks } from '../core/hooks-given.ts';
import { BegunCalls } from '../core/tool-call.ts';
import { HookedModel, type StreamWay } from './model.ts';
import { hookedTool } from './tools.ts';

export interface HookedAgentOptions {
  /**
   * What becomes of a streamed answer while AfterModel hooks have not seen the whole of it: `hold` keeps it back, `live`
   * passes it on, and a change is an error then. `auto` when left out: held while there are AfterModel hooks.
   */
  readonly stream?: StreamWay | undefined;
  /** Where models come from by their names; the SDK's default provider when left out. */
  readonly modelProvider?: ModelProvider | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: as the SDK types the agents of a list of handoffs
type AnyAgent = Agent<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyHandoff = Handoff<any, any>;

const isAgent = (given: AnyAgent | AnyHandoff): given is AnyAgent => 'handoffs' in given;

/** Hooks agents once each, for agents may hand over in a circle. */
class HookedAgents {
  readonly #hooks: Hooks;
  readonly #options: HookedAgentOptions;
  readonly #known = new Map<AnyAgent, AnyAgent>();
  readonly #begun = new BegunCalls();

  constructor(hooks: Hooks, options: HookedAgentOptions) {
    this.#hooks = hooks;
    this.#options = options;
  }

  hook<Context, Output extends AgentOutputType>(agent: Agent<Context, Output>): Agent<Context, Output> {
    const { stream = 'auto', modelProvider } = this.#options;
    const provider = (): ModelProvider => modelProvider ?? new Runner().config.modelProvider;
    const hooked = agent.clone({
      model: new HookedModel(this.#hooks, { model: agent.model, provider, stream }),
      tools: agent.tools.map((tool) => hookedTool(this.#hooks, tool, this.#begun)),
    });
    this.#known.set(agent, hooked);
    hooked.handoffs = agent.handoffs.map((given) => this.#hookHandoff(given));
    return hooked;
  }

  /** An agent that another hands over to is a sub-agent: it starts when it takes over, and stops with its answer. */
  #hookHandoff(given: AnyAgent | AnyHandoff): AnyHandoff {
    const original: AnyHandoff = isAgent(given) ? handoff(given) : given;
    const target = this.#once(original.agent);
    return original.clone({
      agent: target,
      onInvokeHandoff: async (context, args) => {
        const next = this.#once(await original.onInvokeHandoff(context, args));
        await this.#hooks.subagentStart({ agentType: next.name });
        return next;
      },
    });
  }

  #once(agent: AnyAgent): AnyAgent {
    const known = this.#known.get(agent);
    if (known !== undefined) return known;
    const hooked = this.hook(agent);
    hooked.on('agent_end', (_context, response) => {
      // What has been said cannot be sent back: the SDK ends the run with it. Faults are the engine's to report.
      const told = typeof response === 'string' ? response : JSON.stringify(response);
      void this.#hooks.subagentStop({ agentType: agent.name, response: told }).catch(() => undefined);
    });
    return hooked;
  }
}

/** A copy of the agent with hooks around its model and its tools, and around the agents it hands over to. */
export const hookedAgent = <Context, Output extends AgentOutputType>(
  hooks: Hooks,
  agent: Agent<Context, Output>,
  options: HookedAgentOptions = {},
): Agent<Context, Output> => {
  expectHooks('hookedAgent', hooks);
  return new HookedAgents(hooks, options).hook(agent);
};
