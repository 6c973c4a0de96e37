//! What is wrong with files that people wrote, as the answer of a check.

use serde::Serialize;

use super::ui::OutputError;
use super::{Exit, Style, Ui};
use crate::config::Diagnostic;

#[derive(Serialize)]
struct Document<'a> {
    checked: &'a [String],
    faults: Vec<FaultDocument>,
}

#[derive(Serialize)]
struct FaultDocument {
    file: String,
    line: Option<usize>,
    message: String,
}

/// Prints every fault by file and line, then what was checked; exit 1 when there is a fault.
pub fn report(
    ui: &mut Ui,
    document: &str,
    checked: &[String],
    faults: &[Diagnostic],
) -> Result<Exit, OutputError> {
    if ui.is_json() {
        let faults = faults.iter().map(|fault| FaultDocument {
            file: fault.file.display().to_string(),
            line: fault.line,
            message: fault.message.clone(),
        });
        ui.write_json(
            document,
            &Document {
                checked,
                faults: faults.collect(),
            },
        )?;
    } else {
        for fault in faults {
            let fault = ui.styled(Style::Plain, &fault.to_string());
            write!(ui, "{fault}")?;
            ui.end_record()?;
        }
        if faults.is_empty() {
            let good = ui.styled(Style::Good, "ok");
            for name in checked {
                let name = ui.styled(Style::Plain, name);
                write!(ui, "{name} {good}")?;
                ui.end_record()?;
            }
        }
    }
    Ok(Exit::no_if(!faults.is_empty()))
}
