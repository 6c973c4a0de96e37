//! One request as a protocol writes it: what all of them take from it in the same way.

use serde_json::Value;

use crate::chat::{Message, Request};

/// A request with everything that the definition decides.
pub(super) struct PreparedRequest<'a> {
    pub(super) messages: Vec<Message>,
    pub(super) request: &'a Request,
    pub(super) model: &'a str,
    pub(super) output_tokens: Option<u64>,
    pub(super) temperature: Option<f64>,
    pub(super) schema: Option<&'a Value>,
    pub(super) streams: bool,
}

impl PreparedRequest<'_> {
    pub(super) fn stop(&self) -> Option<&Vec<String>> {
        self.request
            .params
            .stop
            .as_ref()
            .filter(|stop| !stop.is_empty())
    }
}

/// Sets a field where there is a value for it.
pub(super) fn set(body: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        body[name] = value.into();
    }
}

/// A schema whose objects take no other properties than those they name, as strict output demands.
pub(super) fn closed(schema: &Value, requires_all: bool) -> Value {
    match schema {
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| (name.clone(), closed(value, requires_all)));
            let mut object: serde_json::Map<String, Value> = fields.collect();
            let names = object
                .get("properties")
                .and_then(Value::as_object)
                .map(|all| all.keys().cloned().collect::<Vec<_>>());
            if let Some(names) =
                names.filter(|_| object.get("type").is_some_and(|kind| kind == "object"))
            {
                object.insert("additionalProperties".to_owned(), false.into());
                if requires_all {
                    object.insert("required".to_owned(), names.into());
                }
            }
            Value::Object(object)
        }
        Value::Array(values) => values
            .iter()
            .map(|value| closed(value, requires_all))
            .collect(),
        other => other.clone(),
    }
}
