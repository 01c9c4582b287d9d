// Approving by a pairing code: of a person, or of a whole group.

import { ask } from "../core/api.js";
import { el, tell } from "../core/dom.js";
import { say } from "../core/speech.js";
import { openDialog } from "../parts/dialog.js";
import { complain, during, field, line } from "../parts/fields.js";
import { toast } from "../parts/toast.js";

export function askCode(approved) {
  const code = field("code", say("approve_code"), line({ required: true, maxlength: 64, class: "code-input", placeholder: "ABCD2345" }), { hint: say("approve_code_hint") });
  const below = el("p", { class: "fault", role: "alert" });
  const save = el("button", { class: "button primary", type: "submit" }, say("approve"));
  const form = el("form", { onsubmit: submit }, code, below, el("div", { class: "dialog-foot" }, save));
  const dialog = openDialog(say("approve_code"), form);
  code.control.focus();

  async function submit(event) {
    event.preventDefault();
    await during(save, async () => {
      try {
        const { name, channel_id: channel } = await ask("POST", "/api/people/approve", { code: code.control.value.trim().toUpperCase() });
        toast(say("approved_name", { name: name || channel }));
        tell(document, "tb-office");
        dialog.close();
        await approved();
      } catch (fault) {
        complain(form, fault, below);
      }
    });
  }
}
