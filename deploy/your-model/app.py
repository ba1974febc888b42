"""Your model as a Space: put this file, requirements.txt and README.md into it, with data.csv and model.skops beside them."""

import pandas as pd

import ttm

TARGET = "churn"  # the column of data.csv that the model predicts

chat = ttm.talk("model.skops", pd.read_csv("data.csv"), target=TARGET, trusted_types=["sklearn.tree._tree.Tree"])
app = chat.app()  # chat.app(loadable=True) where others are to place it into their apps by gr.load

if __name__ == "__main__":
    app.launch()
