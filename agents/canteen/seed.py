"""Fills the canteen database from `data/`."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agents.kit.database import insert_rows, load_csv

DATA = Path(__file__).parent / "data"
MEALS = ("breakfast", "lunch", "dinner")

_SCHEMA = """
CREATE TABLE canteens (id TEXT PRIMARY KEY, name_zh TEXT NOT NULL, name_en TEXT NOT NULL, location_zh TEXT NOT NULL,
  location_en TEXT NOT NULL, opens TEXT NOT NULL, closes TEXT NOT NULL, lat REAL NOT NULL, lng REAL NOT NULL,
  seats INTEGER NOT NULL, rating REAL NOT NULL);
CREATE TABLE stalls (id TEXT PRIMARY KEY, canteen TEXT NOT NULL REFERENCES canteens, name_zh TEXT NOT NULL,
  name_en TEXT NOT NULL, floor TEXT NOT NULL, cuisine_zh TEXT NOT NULL, cuisine_en TEXT NOT NULL, rating REAL NOT NULL,
  opens TEXT NOT NULL, closes TEXT NOT NULL, queue_minutes INTEGER NOT NULL);
CREATE TABLE dishes (id TEXT PRIMARY KEY, stall TEXT NOT NULL REFERENCES stalls, name_zh TEXT NOT NULL,
  name_en TEXT NOT NULL, price REAL NOT NULL, spiciness INTEGER NOT NULL, tags TEXT NOT NULL, meals TEXT NOT NULL,
  stock_breakfast INTEGER NOT NULL, stock_lunch INTEGER NOT NULL, stock_dinner INTEGER NOT NULL, rating REAL NOT NULL);
CREATE TABLE reviews (id TEXT PRIMARY KEY, dish TEXT NOT NULL REFERENCES dishes, author_zh TEXT NOT NULL,
  author_en TEXT NOT NULL, stars INTEGER NOT NULL, text_zh TEXT NOT NULL, text_en TEXT NOT NULL, date TEXT NOT NULL);
CREATE TABLE crowding (canteen TEXT NOT NULL REFERENCES canteens, days TEXT NOT NULL, hour INTEGER NOT NULL,
  percent INTEGER NOT NULL, PRIMARY KEY (canteen, days, hour));
CREATE TABLE landmarks (id TEXT PRIMARY KEY, name_zh TEXT NOT NULL, name_en TEXT NOT NULL, lat REAL NOT NULL,
  lng REAL NOT NULL);
CREATE TABLE meal_cards (number TEXT PRIMARY KEY, phone_end TEXT NOT NULL, name_zh TEXT NOT NULL, name_en TEXT NOT NULL,
  balance REAL NOT NULL, spent_today REAL NOT NULL);
CREATE TABLE identifications (token TEXT PRIMARY KEY, tries INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS kept.forms (id TEXT PRIMARY KEY, made TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS kept.bookings (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
  canteen TEXT NOT NULL, date TEXT NOT NULL, time TEXT NOT NULL, people INTEGER NOT NULL, diets TEXT NOT NULL,
  note TEXT NOT NULL, made TEXT NOT NULL);
"""


def seed(db: sqlite3.Connection) -> None:
    """Create the tables and fill them; `tags` and `meals` are kept as `|a|b|` so that LIKE finds whole words.

    A booking's `key` is the id of the form that made it, so that no form books twice.
    """
    db.executescript(_SCHEMA)
    for table in ("canteens", "stalls", "reviews", "crowding", "landmarks", "meal_cards"):
        insert_rows(db, table, load_csv(DATA / f"{table}.csv"))
    dishes = load_csv(DATA / "dishes.csv")
    insert_rows(db, "dishes", [{**row, "tags": f"|{row['tags']}|", "meals": f"|{row['meals']}|"} for row in dishes])
